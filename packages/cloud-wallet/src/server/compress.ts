import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

const compress = promisify(gzip);
/** Shorter answers are not worth it. */
const shortest = 1_024;

/** An answer as the caller takes it: compressed where it says that it reads gzip. */
export async function compressed(request: Request, response: Response): Promise<Response> {
  const body = Buffer.from(await response.arrayBuffer());
  const headers = new Headers(response.headers);
  headers.append('vary', 'Accept-Encoding');
  if (body.length < shortest || !takesGzip(request.headers.get('accept-encoding') ?? '')) {
    return new Response(body, { status: response.status, headers });
  }
  headers.set('content-encoding', 'gzip');
  return new Response(await compress(body), { status: response.status, headers });
}

function takesGzip(accepted: string): boolean {
  return accepted
    .split(',')
    .map((one) => one.trim().toLowerCase())
    .some((one) => /^(gzip|\*)(\s*;|$)/.test(one) && !/;\s*q=0(\.0*)?$/.test(one));
}
