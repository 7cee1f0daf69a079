import { chmod, readFile, rename, writeFile } from 'node:fs/promises';
import { z } from 'zod';

const walletSchema = z.object({
  walletId: z.string(),
  walletPassword: z.string(),
  walletAddress: z.string(),
  ledgerId: z.string(),
});

const schema = z.object({
  baseUrl: z.string(),
  applicationToken: z.string(),
  clientId: z.string(),
  serviceAccount: z.string(),
  clientSecret: z.string(),
  organizationId: z.string(),
  projectId: z.string(),
  /** The user who can sign in to the console; undefined in files of earlier versions. */
  person: z.object({ email: z.string(), password: z.string() }).optional(),
  ledgers: z.array(
    z.object({
      ledgerId: z.string(),
      technology: z.string(),
      /** Ethereum and Solana: URL of the node. */
      rpcUrl: z.string().optional(),
      /** Solana: hash of the first block, which changes when the ledger is reset. */
      genesisHash: z.string().optional(),
      /** Fabric: the channel, its chaincodes, and the network's profile (a file for `FABRIC_PROFILE`). */
      channel: z.string().optional(),
      chaincodes: z.array(z.string()).optional(),
      profile: z.string().optional(),
    }),
  ),
  wallets: z.array(walletSchema),
  templates: z.array(z.object({ templateId: z.string(), version: z.string(), name: z.string() })),
  /** The example company of `--demo`; `isComplete` once its history has been sent. */
  demo: z.object({ wallets: z.array(walletSchema), isComplete: z.boolean() }).optional(),
});

/** Ids and credentials that a script needs to use the development server: `data/dev.json`, mode 0600. */
export type DevFile = z.output<typeof schema>;

/** Returns the file of an earlier start; null if it is missing or unreadable. */
export async function readDevFile(path: string): Promise<DevFile | null> {
  try {
    return schema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return null;
  }
}

export async function writeDevFile(path: string, file: DevFile): Promise<void> {
  await writePrivately(path, `${JSON.stringify(file, undefined, 2)}\n`);
}

/** Writes a file that only its owner can read, completely or not at all. */
export async function writePrivately(path: string, text: string): Promise<void> {
  const next = `${path}.new`;
  await writeFile(next, text, { mode: 0o600 });
  await chmod(next, 0o600);
  await rename(next, path);
}
