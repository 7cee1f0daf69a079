import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { expectQuick } from '../../../testing/longest-block.ts';
import { readTar } from './tar.ts';

/** One entry with a valid header. */
function entry(
  name: string,
  kind: string,
  content: Uint8Array = new Uint8Array(),
  size = content.length,
): Buffer {
  const header = Buffer.alloc(512);
  header.write(name, 0);
  header.write('0000644\0', 100);
  header.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  header.write(kind, 156);
  header.write('ustar\0', 257);
  header.write('00', 263);
  let sum = 8 * 32;
  for (const [at, byte] of header.entries()) if (at < 148 || at >= 156) sum += byte;
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return Buffer.concat([header, content, Buffer.alloc((512 - (content.length % 512)) % 512)]);
}

const pax = (records: string) => entry('pax', 'x', Buffer.from(records));
const quickly = (run: () => void) => expectQuick(300, run);

test.each(['ustar', 'pax', 'gnu'])('files of a tar in the format %s are found by their names', (format) => {
  const folder = mkdtempSync(join(tmpdir(), 'tar-'));
  try {
    const long = `${'n'.repeat(60)}/${'m'.repeat(90)}`;
    spawnSync('mkdir', ['-p', join(folder, 'n'.repeat(60))]);
    writeFileSync(join(folder, long), 'long');
    writeFileSync(join(folder, 'metadata.json'), '{}');
    const made = spawnSync('tar', ['-c', `--format=${format}`, '-C', folder, '.'], { maxBuffer: 10_000_000 });
    const { files, entries } = readTar(made.stdout, ['metadata.json', long, 'absent']);
    expect([...files].map(([name, bytes]) => [name, Buffer.from(bytes).toString()]).toSorted()).toEqual([
      ['metadata.json', '{}'],
      [long, 'long'],
    ]);
    expect(entries).toBeGreaterThanOrEqual(4);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('quickly reads an archive with the maximum amount of metadata', async () => {
  const records = '5 a=\n'.repeat(12_000);
  const tar = Buffer.concat([
    ...Array.from({ length: 3 }, () => pax(records)),
    ...Array.from({ length: 60 }, () => entry('l', 'L', Buffer.alloc(60_000, 97))),
    ...Array.from({ length: 19_000 }, (_, at) => entry(`f${at}`, '0')),
  ]);
  await quickly(() => expect(readTar(tar, ['f7']).files.size).toBe(1));
});

const many = (count: number, make: (at: number) => Buffer) =>
  Buffer.concat(Array.from({ length: count }, (_, at) => make(at)));

test.each<[string, () => Buffer, RegExp]>([
  ['a huge pax header', () => pax(`${'1'.repeat(9)} `.padEnd(8_000_000, ' ')), /too much metadata/],
  [
    'a long-name header of more than 64 KiB',
    () => entry('l', 'L', Buffer.alloc(65_537, 97)),
    /too much metadata/,
  ],
  [
    'a pax header with many tiny records',
    () => many(20, () => pax('5 a=\n'.repeat(13_000))),
    /too much metadata/,
  ],
  ['an unterminated pax header', () => pax('99 path=x\n'), /corrupt|invalid/],
  [
    'many long-name headers',
    () => many(2_000, () => entry('l', 'L', Buffer.alloc(60_000, 97))),
    /too much metadata/,
  ],
  ['a global header that is huge', () => entry('g', 'g', Buffer.alloc(5_000_000, 48)), /too much metadata/],
  ['many tiny entries', () => many(20_001, (at) => entry(`f${at}`, '0')), /too many files/],
  ['an invalid size', () => Buffer.concat([pax('12 size=-1\n\n'), entry('a', '0')]), /corrupt|invalid/],
  ['truncated content', () => entry('a', '0', new Uint8Array(), 9_000), /truncated/],
  ['a file twice', () => many(2, () => entry('a', '0', Buffer.from('a'))), /twice/],
  ['content that is not tar', () => Buffer.alloc(4_096, 'no tar'), /corrupt|invalid/],
])('quickly refuses a tar archive with %s', async (_, make, message) => {
  const tar = make();
  await quickly(() => expect(() => readTar(tar, ['a'])).toThrow(message));
});

test.each(['1', '2', '3', '4', '5', '6'])(
  'an entry of kind %s has no content, regardless of the size in its header',
  (kind) => {
    const file = entry('metadata.json', '0', Buffer.from('{}'));
    const tar = Buffer.concat([entry('link', kind, undefined, 1_024), file, entry('b', '0')]);
    const { files, entries } = readTar(tar, ['metadata.json', 'b']);
    expect([entries, files.get('metadata.json')?.toString()]).toEqual([3, '{}']);
  },
);

test('any number of zero blocks ends an archive', async () => {
  const tar = Buffer.concat([entry('a', '0', Buffer.from('x')), Buffer.alloc(64_000_000)]);
  await quickly(() => expect(readTar(tar, ['a'])).toMatchObject({ entries: 1 }));
  expect(readTar(Buffer.alloc(1_024), [])).toMatchObject({ entries: 0 });
});

test('a pax header applies only to the next entry', () => {
  const record = (text: string) => `${text.length + 3} ${text}`;
  const content = Buffer.from('12345');
  const tar = Buffer.concat([
    pax(record('path=metadata.json\n')),
    entry('x', '0', content),
    entry('b', '0', content),
  ]);
  expect([...readTar(tar, ['metadata.json', 'x', 'b']).files.keys()]).toEqual(['metadata.json', 'b']);
});
