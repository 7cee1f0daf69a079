import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';

/** Returns a .tar.gz of files in the given order; a name may occur twice. */
export async function tarGz(
  files: readonly (readonly [name: string, content: string | Buffer])[],
): Promise<Buffer> {
  const tar = pack();
  for (const [name, content] of files) tar.entry({ name }, content);
  tar.finalize();
  const chunks: Uint8Array[] = [];
  for await (const chunk of tar) if (chunk instanceof Uint8Array) chunks.push(chunk);
  return gzipSync(Buffer.concat(chunks));
}

/** Base64 of a package of chaincode that runs as a service. */
export async function chaincodePackage(label = 'basic_1.0'): Promise<string> {
  const code = await tarGz([['connection.json', '{"address":"basic.example:9999","dial_timeout":"10s"}']]);
  const metadata = JSON.stringify({ type: 'ccaas', label });
  const whole = await tarGz([
    ['metadata.json', metadata],
    ['code.tar.gz', code],
  ]);
  return whole.toString('base64');
}
