import { randomBytes } from 'node:crypto';
import { z } from '@hono/zod-openapi';
import { type Anvil, tokenTemplate } from '@ledger-ops/devnet';
import { CallError, type Caller } from './caller.ts';
import type { DevFile } from './dev-file.ts';
import { devIds } from './ground.ts';

type DevWallet = DevFile['wallets'][number];
type DevTemplate = DevFile['templates'][number];

const walletNames = ['alice', 'bob'];
/** 10,000 ether, in wei. */
const funds = 10_000n * 10n ** 18n;

const createdSchema = z.object({ walletAddress: z.string() });

/** Two funded wallets whose passwords are known: those of a former start, or new ones. */
export async function ensureWallets(
  caller: Caller,
  anvil: Anvil,
  former: readonly DevWallet[],
): Promise<DevWallet[]> {
  const wallets: DevWallet[] = [];
  for (const name of walletNames) {
    const known = former.find(({ walletId }) => walletId === name || walletId.startsWith(`${name}-`));
    const wallet =
      known !== undefined && (await exists(caller, known.walletId)) ? known : await makeWallet(caller, name);
    const balance = BigInt(await anvil.rpc<string>('eth_getBalance', [wallet.walletAddress, 'latest']));
    if (balance < funds / 2n) {
      await anvil.rpc('anvil_setBalance', [wallet.walletAddress, `0x${funds.toString(16)}`]);
    }
    wallets.push(wallet);
  }
  return wallets;
}

async function exists(caller: Caller, walletId: string): Promise<boolean> {
  return await found(caller.call('GET', `/v1/cloud-wallet/wallets/${walletId}`));
}

async function makeWallet(caller: Caller, name: string): Promise<DevWallet> {
  // A wallet of that name whose password was lost stays as it is.
  const isTaken = await exists(caller, name);
  const walletId = isTaken ? `${name}-${randomBytes(3).toString('hex')}` : name;
  const walletPassword = randomBytes(18).toString('base64url');
  const made = await caller.call('POST', '/v1/cloud-wallet/wallets', {
    walletId,
    ledgerId: devIds.ledger,
    pluginParameters: { walletPassword },
  });
  const { walletAddress } = createdSchema.parse(made);
  return { walletId, walletPassword, walletAddress, ledgerId: devIds.ledger };
}

/** A template of a small token, so that a deployment works at once. */
export async function ensureTemplate(caller: Caller): Promise<DevTemplate> {
  const template = { templateId: 'dev-token', version: '1', name: tokenTemplate.name };
  const path = '/v1/smart-contracts/templates';
  if (await found(caller.call('GET', `${path}/${template.templateId}/specifications/${template.version}`))) {
    return template;
  }
  if (!(await found(caller.call('GET', `${path}/${template.templateId}/specifications`)))) {
    await caller.call('POST', path, {
      contractTemplateID: template.templateId,
      name: template.name,
      description: 'A small token: constructor(string name, string symbol, uint256 supply)',
    });
  }
  await caller.call('POST', `${path}/${template.templateId}/specifications`, {
    tag: template.version,
    compilationLanguage: 'Solidity',
    compilationSpecification: JSON.stringify({
      abi: JSON.parse(tokenTemplate.interface),
      bytecode: tokenTemplate.code,
    }),
    ledgerTechnology: { ledgerTechnologyID: 'ethereum' },
  });
  return template;
}

async function found(call: Promise<unknown>): Promise<boolean> {
  try {
    await call;
    return true;
  } catch (error) {
    if (error instanceof CallError && error.status === 404) return false;
    throw error;
  }
}
