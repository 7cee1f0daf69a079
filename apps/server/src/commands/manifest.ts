import { createHmac, timingSafeEqual } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from '@hono/zod-openapi';
import { createMasterKey } from '@ledger-ops/base';
import { CommandError } from './command.ts';

const manifestFile = 'manifest.json';

const count = z.int().min(0);
const contentSchema = z.strictObject({
  format: z.literal(1),
  createdAt: z.iso.datetime(),
  /** Software version. */
  version: z.string(),
  /** Number of pending actions. */
  pending: count,
  /** Schema migrations, in order. */
  migrations: z.array(z.string()),
  database: z.strictObject({
    file: z.string().regex(/^[a-z0-9][a-z0-9.-]*$/),
    bytes: count,
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
    rows: z.record(z.string(), count),
  }),
});

const manifestSchema = z.strictObject({
  content: contentSchema,
  /** HMAC-SHA-256 of the content in hex, with a key derived from the master key. */
  mac: z.string().regex(/^[0-9a-f]{64}$/),
});

/** Content of a backup. */
export type Manifest = z.infer<typeof contentSchema>;

/** Writes the manifest as the last file of a backup; a folder without it is not a backup. */
export async function writeManifest(folder: string, masterKey: Uint8Array, content: Manifest): Promise<void> {
  const handle = await open(join(folder, manifestFile), 'wx', 0o600);
  try {
    const mac = macOf(masterKey, content).toString('hex');
    await handle.writeFile(`${JSON.stringify({ content, mac }, undefined, 2)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Reads a manifest that was written with this master key. @throws CommandError */
export async function readManifest(folder: string, masterKey: Uint8Array): Promise<Manifest> {
  const path = join(folder, manifestFile);
  const text = await readFile(path, 'utf8').catch(() => {
    throw new CommandError(
      `${path} cannot be read: ${folder} is not a backup, or the backup was not completed.`,
    );
  });
  const { success, data } = manifestSchema.safeParse(jsonOf(text));
  if (!success) throw new CommandError(`${path} is not a manifest that this version supports.`);
  if (timingSafeEqual(macOf(masterKey, data.content), Buffer.from(data.mac, 'hex'))) return data.content;
  throw new CommandError(
    `${path} was written with another master key, or was changed after it was written. Provide the master key of the server that was backed up; without it, the database cannot be used.`,
  );
}

function macOf(masterKey: Uint8Array, content: Manifest): Buffer {
  const key = createMasterKey(masterKey).derive('backup manifest');
  return createHmac('sha256', key).update(JSON.stringify(content)).digest();
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
