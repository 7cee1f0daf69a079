import type { KeyPairSigner, Nonce } from '@solana/kit';
import {
  fetchNonce,
  getCreateAccountInstruction,
  getInitializeNonceAccountInstruction,
  getNonceSize,
  getTransferSolInstruction,
  SYSTEM_PROGRAM_ADDRESS,
} from '@solana-program/system';
import { type Making, type Stage, signer } from './stage.ts';

interface NonceAccount {
  payer: KeyPairSigner;
  to: KeyPairSigner;
  /** Returns the confirmed nonce. */
  read(): Promise<string>;
  using(nonce: string, amount: bigint): Making;
}

/** Creates a funded account with a nonce account, and transfers that use the nonce. */
export async function openNonce(stage: Stage, name: string): Promise<NonceAccount> {
  const [payer, account, to] = await Promise.all([
    signer(`${name} payer`),
    signer(`${name} nonce`),
    signer(`${name} to`),
  ]);
  await stage.fund(payer.address, 2);
  const space = BigInt(getNonceSize());
  await stage.send({
    payer,
    instructions: [
      getCreateAccountInstruction({
        payer,
        newAccount: account,
        lamports: await stage.rpc.getMinimumBalanceForRentExemption(space).send(),
        space,
        programAddress: SYSTEM_PROGRAM_ADDRESS,
      }),
      getInitializeNonceAccountInstruction({
        nonceAccount: account.address,
        nonceAuthority: payer.address,
      }),
    ],
  });
  const read = async () =>
    (await fetchNonce(stage.rpc, account.address, { commitment: 'confirmed' })).data.blockhash;
  const using = (nonce: string, amount: bigint) => ({
    payer,
    nonce: { nonceAccountAddress: account.address, nonceAuthority: payer, nonce: nonce as Nonce },
    instructions: [getTransferSolInstruction({ source: payer, destination: to.address, amount })],
  });
  return { payer, to, read, using };
}
