import { randomBytes } from 'node:crypto';
import { type Anvil, tokenTemplate } from '@ledger-ops/devnet';
import { z } from 'zod';
import { CallError, type Caller } from './caller.ts';
import { devIds } from './credentials.ts';
import type { DevFile } from './dev-file.ts';

type DevWallet = DevFile['wallets'][number];
type DevTemplate = DevFile['templates'][number];

/** 10,000 ether, in wei. */
const funds = 10_000n * 10n ** 18n;

const createdSchema = z.object({ walletAddress: z.string() });

/** Ensures two funded wallets on Ethereum with known passwords, from an earlier start or new. */
export async function ensureWallets(
  caller: Caller,
  anvil: Anvil,
  former: readonly DevWallet[],
  newPassword: () => string,
): Promise<DevWallet[]> {
  const wallets: DevWallet[] = [];
  for (const name of ['alice', 'bob']) {
    const wallet = await ensureWallet(caller, devIds.ledger, name, former, { newPassword });
    const balance = BigInt(await anvil.rpc<string>('eth_getBalance', [wallet.walletAddress, 'latest']));
    if (balance < funds / 2n) {
      await anvil.rpc('anvil_setBalance', [wallet.walletAddress, `0x${funds.toString(16)}`]);
    }
    wallets.push(wallet);
  }
  return wallets;
}

/** Generates passwords of 24 characters, or more if the server requires it. */
export function passwordsOf(minimum: number): () => string {
  // In base64url, three bytes become four characters.
  const bytes = Math.max(18, Math.ceil((minimum * 3) / 4));
  return () => randomBytes(bytes).toString('base64url');
}

/** Ledger-specific functions for creating a wallet. */
export interface WalletNeeds {
  readonly newPassword: () => string;
  /** Parameters that the ledger's plugin requires in addition to the password. */
  readonly parameters?: (walletId: string) => Record<string, string>;
  /** Whether a wallet from an earlier start can still be used on the ledger. */
  readonly isUsable?: (wallet: DevWallet) => Promise<boolean>;
}

/**
 * Ensures a wallet of this name on a ledger, with its password. If the password is lost or the wallet is unusable,
 * creates another wallet with a similar name and keeps the old one.
 */
export async function ensureWallet(
  caller: Caller,
  ledgerId: string,
  name: string,
  former: readonly DevWallet[],
  { newPassword, parameters = () => ({}), isUsable = async () => true }: WalletNeeds,
): Promise<DevWallet> {
  const known = former.find(({ walletId }) => walletId === name || walletId.startsWith(`${name}-`));
  if (known !== undefined && (await exists(caller, known.walletId)) && (await isUsable(known))) return known;
  const make = async (walletId: string): Promise<DevWallet> => {
    const walletPassword = newPassword();
    const made = await caller.call('POST', '/v1/cloud-wallet/wallets', {
      ...{ walletId, ledgerId },
      pluginParameters: { walletPassword, ...parameters(walletId) },
    });
    const { walletAddress } = createdSchema.parse(made);
    return { walletId, walletPassword, walletAddress, ledgerId };
  };
  const another = `${name}-${randomBytes(3).toString('hex')}`;
  if (await exists(caller, name)) return await make(another);
  try {
    return await make(name);
  } catch (error) {
    // The name may be taken on the ledger by a wallet of a deleted database.
    if (error instanceof CallError && error.status === 400) return await make(another);
    throw error;
  }
}

async function exists(caller: Caller, walletId: string): Promise<boolean> {
  return await found(caller.call('GET', `/v1/cloud-wallet/wallets/${walletId}`));
}

/** Ensures a template of a small token, so that the user can deploy it immediately. */
export async function ensureTemplate(caller: Caller): Promise<DevTemplate> {
  const template = { templateId: 'dev-token', version: '1', name: tokenTemplate.name };
  const templates = '/v1/contract-templates';
  const path = `${templates}/${template.templateId}`;
  if (await found(caller.call('GET', `${path}/versions/${template.version}`))) return template;
  if (!(await found(caller.call('GET', path)))) {
    await caller.call('POST', templates, {
      ...{ templateId: template.templateId, name: template.name },
      description: 'A small token: constructor(string name, string symbol, uint256 supply)',
    });
  }
  await caller.call('POST', `${path}/versions`, {
    ...{ version: template.version, technology: 'ethereum' },
    code: { abi: JSON.parse(tokenTemplate.interface), bytecode: tokenTemplate.code },
  });
  return template;
}

/** False if the call fails with 404. */
export async function found(call: Promise<unknown>): Promise<boolean> {
  try {
    await call;
    return true;
  } catch (error) {
    if (error instanceof CallError && error.status === 404) return false;
    throw error;
  }
}
