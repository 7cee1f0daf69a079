import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { extract } from 'tar-stream';
import { describe, expect, it } from 'vitest';
import { packageChaincode } from './package.ts';

async function unpack(bytes: Uint8Array): Promise<Record<string, Buffer>> {
  const files: Record<string, Buffer> = {};
  const tar = extract();
  tar.end(gunzipSync(bytes));
  for await (const entry of tar) {
    files[entry.header.name] = await buffer(entry);
  }
  return files;
}

describe('a chaincode package', () => {
  it('a chaincode package contains its type, its label and the address of its service', async () => {
    const { bytes, packageId } = await packageChaincode({ label: 'asset_1.0', address: '127.0.0.1:9999' });
    const outer = await unpack(bytes);
    expect(Object.keys(outer)).toEqual(['metadata.json', 'code.tar.gz']);
    expect(JSON.parse(String(outer['metadata.json']))).toEqual({ type: 'ccaas', label: 'asset_1.0' });
    const inner = await unpack(outer['code.tar.gz'] ?? Buffer.alloc(0));
    expect(JSON.parse(String(inner['connection.json']))).toEqual({
      address: '127.0.0.1:9999',
      dial_timeout: '10s',
      tls_required: false,
    });
    expect(packageId).toBe(`asset_1.0:${createHash('sha256').update(bytes).digest('hex')}`);
  });

  it('a chaincode package has the same bytes regardless of where and when it is created', async () => {
    const { packageId } = await packageChaincode({ label: 'asset_1.0', address: '127.0.0.1:9999' });
    expect(packageId).toMatchInlineSnapshot(
      `"asset_1.0:65ded3a03db34f23573e18397f7377de57a4d7ed2e7503ffbfd7a4e39bf91366"`,
    );
  });

  it('rejects a label that a peer refuses', async () => {
    for (const label of ['', 'a b', '../a', 'a__b', '_a'])
      await expect(packageChaincode({ label, address: 'x:1' })).rejects.toThrow('is not a label');
  });
});
