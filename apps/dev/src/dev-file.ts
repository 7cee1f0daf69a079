import { chmod, readFile, rename, writeFile } from 'node:fs/promises';
import { z } from 'zod';

const schema = z.object({
  baseUrl: z.string(),
  applicationToken: z.string(),
  clientId: z.string(),
  serviceAccount: z.string(),
  clientSecret: z.string(),
  organizationId: z.string(),
  projectId: z.string(),
  /** Who signs in to the console; absent in files of earlier versions. */
  person: z.object({ email: z.string(), password: z.string() }).optional(),
  ledgers: z.array(
    z.object({
      ledgerId: z.string(),
      technology: z.string(),
      /** Ethereum and Solana: the node. */
      rpcUrl: z.string().optional(),
      /** Solana: hash of the first block, another one when the ledger began anew. */
      genesisHash: z.string().optional(),
      /** Fabric: the channel, the chaincodes on it, and the network's profile (a file for `FABRIC_PROFILE`). */
      channel: z.string().optional(),
      chaincodes: z.array(z.string()).optional(),
      profile: z.string().optional(),
    }),
  ),
  wallets: z.array(
    z.object({
      walletId: z.string(),
      walletPassword: z.string(),
      walletAddress: z.string(),
      ledgerId: z.string(),
    }),
  ),
  templates: z.array(z.object({ templateId: z.string(), version: z.string(), name: z.string() })),
});

/** Everything that a script needs to use the development server: `data/dev.json`, mode 0600. */
export type DevFile = z.output<typeof schema>;

/** The file of a former start; null when there is none that can be read. */
export async function readDevFile(path: string): Promise<DevFile | null> {
  try {
    return schema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return null;
  }
}

/** Writes the file whole or not at all. */
export async function writeDevFile(path: string, file: DevFile): Promise<void> {
  const next = `${path}.new`;
  await writeFile(next, `${JSON.stringify(file, undefined, 2)}\n`, { mode: 0o600 });
  await chmod(next, 0o600);
  await rename(next, path);
}
