import { createHash } from 'node:crypto';
import {
  address,
  createAddressWithSeed,
  getAddressEncoder,
  getProgramDerivedAddress,
} from '@solana/addresses';
import type { AccountJson, InstructionJson } from '../native.ts';
import { createWithSeedInstruction, systemProgram } from '../transactions/system.ts';

export const loader = 'BPFLoaderUpgradeab1e11111111111111111111111';

/** Number of bytes before the ELF in a buffer, and in a program's data account. */
export const bufferHeader = 37;
export const codeHeader = 45;
export const programSize = 36;

/** Number of bytes per write, limited by the transaction size. */
const chunk = 900;

const rent = { address: 'SysvarRent111111111111111111111111111111111' };
const clock = { address: 'SysvarC1ock11111111111111111111111111111111' };
const writable = (of: string): AccountJson => ({ address: of, writable: true });

/** Accounts of one deployment. Accounts that are created with a seed need not sign. */
export interface DeploymentAccounts {
  wallet: string;
  program: { address: string; seed: string };
  buffer: { address: string; seed: string };
  code: string;
}

/**
 * Returns the accounts of an action's deployment. They depend only on the action, so an interrupted
 * deployment can continue.
 */
export async function accountsOfDeployment(wallet: string, actionId: string): Promise<DeploymentAccounts> {
  const id = createHash('sha256').update(`ledger-ops action ${actionId}`).digest('hex').slice(0, 28);
  const programAddress = address(loader);
  const derive = async (seed: string) => ({
    seed,
    address: await createAddressWithSeed({ baseAddress: address(wallet), programAddress, seed }),
  });
  const [program, buffer] = await Promise.all([derive(`p${id}`), derive(`b${id}`)]);
  const [code] = await getProgramDerivedAddress({
    programAddress,
    seeds: [getAddressEncoder().encode(program.address)],
  });
  return { wallet, program, buffer, code };
}

/** Creates the buffer, to which only the wallet can write. */
export function createBuffer(
  { wallet, buffer }: DeploymentAccounts,
  size: number,
  lamports: bigint,
): InstructionJson[] {
  const made = { payer: wallet, account: buffer.address, seed: buffer.seed, owner: loader };
  return [
    createWithSeedInstruction({ ...made, lamports, space: bufferHeader + size }),
    instruction([writable(buffer.address), { address: wallet }], Buffer.alloc(4)),
  ];
}

/** Returns the write instructions for the parts that the buffer does not contain yet. */
export function missingWrites(
  { wallet, buffer }: DeploymentAccounts,
  elf: Uint8Array,
  held: Uint8Array,
): InstructionJson[] {
  const writes: InstructionJson[] = [];
  for (let offset = 0; offset < elf.length; offset += chunk) {
    const bytes = elf.subarray(offset, offset + chunk);
    if (Buffer.compare(bytes, held.subarray(offset, offset + bytes.length)) === 0) continue;
    const head = Buffer.alloc(16);
    head.writeUInt32LE(1, 0);
    head.writeUInt32LE(offset, 4);
    head.writeBigUInt64LE(BigInt(bytes.length), 8);
    const accounts = [writable(buffer.address), { address: wallet, signer: true }];
    writes.push(instruction(accounts, Buffer.concat([head, bytes])));
  }
  return writes;
}

/** Deploys a program from a full buffer and closes the buffer. The wallet is the upgrade authority. */
export function deployBuffer(
  { wallet, program, buffer, code }: DeploymentAccounts,
  size: number,
  lamports: bigint,
): InstructionJson[] {
  const made = { payer: wallet, account: program.address, seed: program.seed, owner: loader };
  const data = Buffer.alloc(12);
  data.writeUInt32LE(2, 0);
  data.writeBigUInt64LE(BigInt(size), 4);
  const accounts = [
    { address: wallet, signer: true, writable: true },
    ...[code, program.address, buffer.address].map(writable),
    ...[rent, clock, { address: systemProgram }],
    { address: wallet, signer: true },
  ];
  return [createWithSeedInstruction({ ...made, lamports, space: programSize }), instruction(accounts, data)];
}

function instruction(accounts: AccountJson[], data: Buffer): InstructionJson {
  return { program: loader, accounts, data: data.toString('base64') };
}
