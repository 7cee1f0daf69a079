import {
  AccountRole,
  type Address,
  address,
  getAddressEncoder,
  getProgramDerivedAddress,
  type KeyPairSigner,
} from '@solana/kit';
import { getCreateAccountInstruction, SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system';
import type { Stage } from './stage.ts';

const loader = address('BPFLoaderUpgradeab1e11111111111111111111111');
const rent = address('SysvarRent111111111111111111111111111111111');
const clock = address('SysvarC1ock11111111111111111111111111111111');
const chunk = 900;
const bufferHeader = 37;
const programSize = 36;

export const writeAccount = (of: Address) => ({ address: of, role: AccountRole.WRITABLE });
const readAccount = (of: Address) => ({ address: of, role: AccountRole.READONLY });
const signAccount = (signer: KeyPairSigner) => ({
  address: signer.address,
  role: AccountRole.READONLY_SIGNER,
  signer,
});
const paying = (signer: KeyPairSigner) => ({
  address: signer.address,
  role: AccountRole.WRITABLE_SIGNER,
  signer,
});

/** Deploys a program as the command line of Solana does. @returns how many transactions it took */
export async function deployProgram(
  stage: Pick<Stage, 'rpc' | 'send'>,
  {
    payer,
    program,
    buffer,
    elf,
  }: { payer: KeyPairSigner; program: KeyPairSigner; buffer: KeyPairSigner; elf: Buffer },
): Promise<number> {
  const rentFor = async (size: number) => stage.rpc.getMinimumBalanceForRentExemption(BigInt(size)).send();
  const create = async (newAccount: KeyPairSigner, space: number) =>
    getCreateAccountInstruction({
      payer,
      newAccount,
      space,
      lamports: await rentFor(space),
      programAddress: loader,
    });
  let sent = 1;
  await stage.send({
    payer,
    instructions: [
      await create(buffer, bufferHeader + elf.length),
      {
        programAddress: loader,
        accounts: [writeAccount(buffer.address), readAccount(payer.address)],
        data: Buffer.alloc(4),
      },
    ],
  });
  for (let offset = 0; offset < elf.length; offset += chunk) {
    const bytes = elf.subarray(offset, offset + chunk);
    const head = Buffer.alloc(16);
    head.writeUInt32LE(1, 0);
    head.writeUInt32LE(offset, 4);
    head.writeBigUInt64LE(BigInt(bytes.length), 8);
    await stage.send({
      payer,
      instructions: [
        {
          programAddress: loader,
          accounts: [writeAccount(buffer.address), signAccount(payer)],
          data: Buffer.concat([head, bytes]),
        },
      ],
    });
    sent += 1;
  }
  const [programData] = await getProgramDerivedAddress({
    programAddress: loader,
    seeds: [getAddressEncoder().encode(program.address)],
  });
  const deploy = Buffer.alloc(12);
  deploy.writeUInt32LE(2, 0);
  deploy.writeBigUInt64LE(BigInt(elf.length), 4);
  await stage.send({
    payer,
    instructions: [
      await create(program, programSize),
      {
        programAddress: loader,
        accounts: [
          paying(payer),
          writeAccount(programData),
          writeAccount(program.address),
          writeAccount(buffer.address),
          readAccount(rent),
          readAccount(clock),
          readAccount(SYSTEM_PROGRAM_ADDRESS),
          signAccount(payer),
        ],
        data: deploy,
      },
    ],
  });
  return sent + 1;
}
