import { createHash, randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { expectQuick } from '../../../../testing/longest-block.ts';
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

/** Returns a small gzip file that unpacks to a large JSON text. */
const longConnection = async () => {
  const connection = `{"address":"basic:9999","more":[${'{},'.repeat(1_000_000)}{}]}`;
  return await whole('{"type":"ccaas","label":"basic"}', await tarGz([['connection.json', connection]]));
};

/** Returns a package of a service with this connection.json. */
const connectingTo = async (connection: string) =>
  whole('{"type":"ccaas","label":"basic"}', await tarGz([['connection.json', connection]]));

it.each(['basic.example:9999', '[::1]:9999', '{{.peername}}_basic:9999', '{{.address}}'])(
  'accepts a chaincode package with a service at %s',
  async (address) => {
    expect(await read(await connectingTo(JSON.stringify({ address })))).toMatchObject({ type: 'ccaas' });
  },
);

it('reads the label, type and package id of a chaincode package', async () => {
  const given = await chaincodePackage();
  const digest = createHash('sha256').update(Buffer.from(given, 'base64')).digest('hex');
  expect(await readChaincodePackage(given, '/package')).toEqual({
    code: given,
    label: 'basic_1.0',
    type: 'ccaas',
    packageId: `basic_1.0:${digest}`,
  });
});

it('accepts base64 with line breaks, names that start with ./, and additional files', async () => {
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

it('reports why bytes are not a chaincode package', async () => {
  const refused: [string, () => Promise<unknown>][] = [
    ['base64', () => readChaincodePackage('', '/package')],
    ['base64', () => readChaincodePackage('no base64!', '/package')],
    ['it is not a gzip file', () => read(Buffer.from('plain text'))],
    ['it is not a gzip file', () => read(code.subarray(0, code.length - 20))],
    ['not a valid tar', () => read(gzipSync(randomBytes(2_000)))],
    ['no files', () => read(gzipSync(Buffer.alloc(1_024)))],
    ['must contain the files', () => tarGz([['metadata.json', metadata]]).then(read)],
    ['must contain the files', () => tarGz([['code.tar.gz', code]]).then(read)],
    ['metadata.json is not valid JSON', () => whole('no json', code).then(read)],
    ['metadata.json is not valid JSON', () => whole('{"type":NaN,"label":"basic"}', code).then(read)],
    ['label that is not made of letters', () => whole('{"type":"node","label":"../x"}', code).then(read)],
    [
      'label that is not made of letters',
      () => whole('{"type":"node","label":"basic\u00e9"}', code).then(read),
    ],
    [
      'more than 256 characters',
      () => whole(`{"type":"node","label":"${'a'.repeat(257)}"}`, code).then(read),
    ],
    ['metadata.json has no label', () => whole('{"type":"node","label":1}', code).then(read)],
    ['metadata.json has no type', () => whole('{"label":"basic"}', code).then(read)],
    ['has a type that is empty', () => whole('{"type":"","label":"basic"}', code).then(read)],
    ['metadata.json is not a JSON object', () => whole('[]', code).then(read)],
    ['metadata.json has more than 65536 bytes', () => whole(Buffer.alloc(70_000, 32), code).then(read)],
    ['a byte order mark', () => whole(`\ufeff${metadata}`, code).then(read)],
    ['metadata.json is not valid JSON', () => whole(Buffer.from(metadata, 'utf16le'), code).then(read)],
    ['metadata.json is not UTF-8', () => whole(Buffer.from('{"type":"\u00e9"}', 'latin1'), code).then(read)],
    ['appears twice', () => whole('{"type":"node","label":"a","label":"b"}', code).then(read)],
    ['the members label and Label', () => whole('{"type":"node","label":"a","Label":"b"}', code).then(read)],
    ['code.tar.gz is not a gzip file', () => whole(metadata, Buffer.from('plain')).then(read)],
    ['must contain a connection.json', () => whole('{"type":"ccaas","label":"basic"}', code).then(read)],
    ['connection.json in its code.tar.gz has more than', () => longConnection().then(read)],
    ['has no address', () => connectingTo('{}').then(read)],
    ['form host:port', () => connectingTo('{"address":""}').then(read)],
    ['form host:port', () => connectingTo('{"address":"basic"}').then(read)],
    ['form host:port', () => connectingTo('{"address":"https://basic:9999"}').then(read)],
    ['form host:port', () => connectingTo('{"address":"basic:9999\\u0000"}').then(read)],
    [
      'not a valid tar',
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

it('stops decompression bombs, in the package and in its code', async () => {
  const zeros = Buffer.alloc(80 * 2 ** 20);
  expect(String(await failure(read(gzipSync(zeros))))).toContain('unpacks to more');
  expect(String(await failure(whole(metadata, gzipSync(zeros)).then(read)))).toContain('code.tar.gz unpacks');
});

it('reading arbitrary bytes throws nothing but a Problem', async () => {
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

it('quickly rejects tar headers with oversized names', async () => {
  const header = Buffer.alloc(512);
  header.write('pax', 0);
  header.write(`${(8_000_000).toString(8).padStart(11, '0')}\0`, 124);
  header.write('xustar\0', 156);
  header.fill(0, 157, 257);
  header.write('ustar\0', 257);
  header.fill(' ', 148, 156);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  const tar = gzipSync(Buffer.concat([header, Buffer.from('8000000 a='.padEnd(8_000_000, 'a'))]));
  await expectQuick(300, async () => {
    expect(String(await failure(read(tar)))).toContain('is not a valid tar archive');
  });
});
