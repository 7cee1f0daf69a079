import { existsSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { StoreError } from '../errors.ts';

/** Number of bytes that are read of the first page: the header of the file and that of the first b-tree page. */
const headerLength = 108;

/**
 * Fails if a new database would replace a lost one: either the file is missing, but its lock or write-ahead log exists;
 * or the file has no tables, and the write-ahead log that contained them is missing. Must be called before the file is
 * created.
 *
 * @throws StoreError `no-installation`
 */
export async function refuseLostFile(file: string): Promise<void> {
  const toBegin = `To begin a new installation, remove ${file}, ${file}-wal and ${file}.lock.`;
  if (!existsSync(file)) {
    const trace = [`${file}.lock`, `${file}-wal`].find((path) => existsSync(path));
    if (trace === undefined) return;
    throw new StoreError(
      'no-installation',
      `${file} is missing, but ${trace} shows that a server has used it. Put the database back. ${toBegin}`,
    );
  }
  if ((statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) return;
  if (!(await isEmptyWithLog(file))) return;
  throw new StoreError(
    'no-installation',
    `${file} is empty, and ${file}-wal, its write-ahead log with the data, is missing. Copy both files, or use the command backup. ${toBegin}`,
  );
}

/**
 * Whether a database is in WAL mode and has no tables. A server creates the tables before it sets this mode, so the
 * tables were in a log that is now missing.
 */
async function isEmptyWithLog(file: string): Promise<boolean> {
  const handle = await open(file, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(headerLength), 0, headerLength, 0);
    if (bytesRead < headerLength) return false;
    // https://www.sqlite.org/fileformat.html: in WAL mode, the write version is 2; page 1 has one cell for each table
    // or index.
    const isWal = buffer.toString('latin1', 0, 15) === 'SQLite format 3' && buffer.readUInt8(18) === 2;
    return isWal && buffer.readUInt8(100) === 0x0d && buffer.readUInt16BE(103) === 0;
  } finally {
    await handle.close();
  }
}
