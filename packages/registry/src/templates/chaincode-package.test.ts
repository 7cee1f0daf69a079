import { createHash, randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { chaincodePackage, tarGz } from '../../test/packages.ts';
import { failure } from '../../test/world.ts';
import { readChaincodePackage } from './chaincode-package.ts';

const metadata = '{"type":"node","label":"basic_1.0"}';
const code = await tarGz([['src/index.js', 'module.exports = {};']]);
const read = (bytes: Buffer) => readChaincodePackage(bytes.toString('base64'), '/package');
const whole = (described: string | Buffer, its: Buffer) =>
  tarGz([
    ['metadata.json', described],
    ['code.tar.gz', its],
  ]);

/** A little of gzip becomes much of JSON. */
const longConnection = async () => {
  const connection = `{"address":"basic:9999","more":[${'{},'.repeat(1_000_000)}{}]}`;
  return await whole('{"type":"ccaas","label":"basic"}', await tarGz([['connection.json', connection]]));
};

it('reads a package: label, type, and the id that Fabric gives it', async () => {
  const given = await chaincodePackage();
  const digest = createHash('sha256').update(Buffer.from(given, 'base64')).digest('hex');
  expect(await readChaincodePackage(given, '/package')).toEqual({
    code: given,
    label: 'basic_1.0',
    type: 'ccaas',
    packageId: `basic_1.0:${digest}`,
  });
});

it('takes base64 in lines, names with ./ in front, and other files beside', async () => {
  const bytes = await tarGz([
    ['./META-INF/x.json', '{}'],
    ['./metadata.json', metadata],
    ['./code.tar.gz', code],
  ]);
  const lines = bytes.toString('base64').replace(/.{60}/g, '$&\n');
  expect(await readChaincodePackage(lines, '/package')).toMatchObject({
    type: 'node',
    code: bytes.toString('base64'),
  });
});

it('says what is wrong with what is no package', async () => {
  const refused: [string, () => Promise<unknown>][] = [
    ['base64', () => readChaincodePackage('', '/package')],
    ['base64', () => readChaincodePackage('no base64!', '/package')],
    ['it is not gzip', () => read(Buffer.from('plain text'))],
    ['it is not gzip', () => read(code.subarray(0, code.length - 20))],
    ['no sound tar', () => read(gzipSync(randomBytes(2_000)))],
    ['no files', () => read(gzipSync(Buffer.alloc(1_024)))],
    ['must hold the files', () => tarGz([['metadata.json', metadata]]).then(read)],
    ['must hold the files', () => tarGz([['code.tar.gz', code]]).then(read)],
    ['metadata.json must have', () => whole('no json', code).then(read)],
    ['metadata.json must have', () => whole('{"type":"node","label":"../x"}', code).then(read)],
    ['metadata.json must have', () => whole('{"label":"basic"}', code).then(read)],
    ['metadata.json must have', () => whole(Buffer.alloc(70_000, 32), code).then(read)],
    ['code.tar.gz is not gzip', () => whole(metadata, Buffer.from('plain')).then(read)],
    ['connection.json', () => whole('{"type":"ccaas","label":"basic"}', code).then(read)],
    ['connection.json', () => longConnection().then(read)],
    [
      'no sound tar',
      () =>
        tarGz([
          ['metadata.json', metadata],
          ['metadata.json', metadata],
        ]).then(read),
    ],
    ['7340032 bytes', () => read(Buffer.alloc(7_340_033))],
  ];
  for (const [part, attempt] of refused) {
    const error = await failure(attempt());
    expect(error).toMatchObject({ problem: 'invalid-request', errors: [{ pointer: '/package' }] });
    expect(String(error)).toContain(part);
  }
});

it('unpacks no more than it must: bombs are refused, outside and inside', async () => {
  const zeros = Buffer.alloc(80 * 2 ** 20);
  expect(String(await failure(read(gzipSync(zeros))))).toContain('unpacks to more');
  expect(String(await failure(whole(metadata, gzipSync(zeros)).then(read)))).toContain('code.tar.gz unpacks');
});

it('never fails in any other way, whatever the bytes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 400 }), fc.nat(), async (noise, at) => {
      const sound = Buffer.from(await chaincodePackage(), 'base64');
      const where = at % sound.length;
      const bytes = Buffer.concat([sound.subarray(0, where), noise, sound.subarray(where + noise.length)]);
      const result = await read(bytes).catch((error: unknown) => error);
      const taken = typeof result === 'object' && result !== null && 'packageId' in result;
      if (!taken) expect(result).toMatchObject({ problem: 'invalid-request' });
    }),
    { numRuns: 60 },
  );
});
