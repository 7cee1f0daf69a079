import { protocolLimits } from '@ledger-ops/adapter/cloud-wallet';
import { JsonError, parseJson } from '@ledger-ops/glo-core';
import type { z } from 'zod';
import { refusal } from '../problem.ts';

/**
 * Reads a request's body.
 * @throws Refusal 400, 413 or 415
 */
export async function readBody<Body>(request: Request, schema: z.ZodType<Body>): Promise<Body> {
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    throw refusal('unsupported-media-type', 415, 'The body must be application/json.');
  }
  const parsed = schema.safeParse(parse(await readText(request)));
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.map(({ path, message }) => ({
    pointer: path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''),
    detail: message,
  }));
  const [first] = errors;
  throw refusal('invalid-request', 400, `${first?.pointer || 'The body'}: ${first?.detail}.`, errors);
}

function parse(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof JsonError) throw refusal('invalid-json', 400, `The body: ${error.message}`);
    throw error;
  }
}

async function readText(request: Request): Promise<string> {
  const limit = protocolLimits.bodyBytes;
  const tooLarge = () => refusal('payload-too-large', 413, `The body has more than ${limit} bytes.`);
  if (Number(request.headers.get('content-length') ?? 0) > limit) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body ?? []) {
    length += chunk.length;
    if (length > limit) throw tooLarge();
    chunks.push(chunk);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw refusal('invalid-json', 400, 'The body is no UTF-8.');
  }
}
