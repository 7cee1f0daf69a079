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

interface Upload {
  payer: KeyPairSigner;
  program: KeyPairSigner;
  buffer: KeyPairSigner;
  elf: Buffer;
}

type Uploading = Pick<Stage, 'rpc' | 'send'>;

async function createAccount(
  { rpc }: Uploading,
  payer: KeyPairSigner,
  newAccount: KeyPairSigner,
  space: number,
) {
  const lamports = await rpc.getMinimumBalanceForRentExemption(BigInt(space)).send();
  return getCreateAccountInstruction({ payer, newAccount, space, lamports, programAddress: loader });
}

/** @returns the number of transactions sent */
async function writeBuffer(stage: Uploading, { payer, buffer, elf }: Upload): Promise<number> {
  let sent = 1;
  await stage.send({
    payer,
    instructions: [
      await createAccount(stage, payer, buffer, bufferHeader + elf.length),
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
  return sent;
}

const programDataOf = async (program: KeyPairSigner) =>
  (
    await getProgramDerivedAddress({
      programAddress: loader,
      seeds: [getAddressEncoder().encode(program.address)],
    })
  )[0];

/**
 * Deploys a program like Solana's command line.
 *
 * @returns the number of transactions sent, and the address of the code
 */
export async function deployProgram(
  stage: Uploading,
  upload: Upload,
): Promise<{ transactions: number; programData: Address }> {
  const { payer, program, buffer, elf } = upload;
  const sent = await writeBuffer(stage, upload);
  const programData = await programDataOf(program);
  const deploy = Buffer.alloc(12);
  deploy.writeUInt32LE(2, 0);
  deploy.writeBigUInt64LE(BigInt(elf.length), 4);
  await stage.send({
    payer,
    instructions: [
      await createAccount(stage, payer, program, programSize),
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
  return { transactions: sent + 1, programData };
}

/** Replaces a program's code. */
export async function upgradeProgram(stage: Uploading, upload: Upload): Promise<void> {
  const { payer, program, buffer } = upload;
  await writeBuffer(stage, upload);
  const accounts = [
    writeAccount(await programDataOf(program)),
    writeAccount(program.address),
    writeAccount(buffer.address),
    writeAccount(payer.address),
    readAccount(rent),
    readAccount(clock),
    signAccount(payer),
  ];
  const instructions = [{ programAddress: loader, accounts, data: Buffer.from([3, 0, 0, 0]) }];
  await stage.send({ payer, instructions });
}

/** Deletes a program's code and returns its rent to the payer. */
export const closeProgram = (payer: KeyPairSigner, program: KeyPairSigner, programData: Address) => ({
  programAddress: loader,
  accounts: [
    writeAccount(programData),
    writeAccount(payer.address),
    signAccount(payer),
    writeAccount(program.address),
  ],
  data: Buffer.from([5, 0, 0, 0]),
});
