import { createHash } from 'node:crypto';
import {
  type Address,
  appendTransactionMessageInstructions,
  type Blockhash,
  compressTransactionMessageUsingAddressLookupTables,
  createKeyPairSignerFromPrivateKeyBytes,
  createSolanaRpc,
  createSolanaRpcSubscriptions,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  type Instruction,
  type KeyPairSigner,
  lamports,
  type Nonce,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  setTransactionMessageLifetimeUsingDurableNonce,
  signTransactionMessageWithSigners,
} from '@solana/kit';
import { type SolanaLedger, type SolanaOptions, startSolana } from '../src/index.ts';

/** Returns a signer derived from a name, so that it is the same in every run. */
export const signer = (name: string): Promise<KeyPairSigner> =>
  createKeyPairSignerFromPrivateKeyBytes(new Uint8Array(createHash('sha256').update(name).digest()));

type Wire = ReturnType<typeof getBase64EncodedWireTransaction>;

/** Contents of a transaction. */
export interface Making {
  payer: KeyPairSigner;
  instructions: readonly Instruction[];
  lifetime?: { blockhash: Blockhash; lastValidBlockHeight: bigint };
  nonce?: { nonceAccountAddress: Address; nonceAuthority: KeyPairSigner; nonce: Nonce };
  tables?: Parameters<typeof compressTransactionMessageUsingAddressLookupTables>[1];
}

/**
 * Opens a ledger and an application's clients. Blocks are created when transactions are waiting, and are
 * confirmed immediately.
 */
export async function openStage(options: SolanaOptions = {}) {
  const ledger = await startSolana({ slotTime: 'on-demand', confirmed: 0, finalized: 2, ...options });
  return stageOf(ledger);
}

export type Stage = Awaited<ReturnType<typeof openStage>>;

export function stageOf<Ledger extends SolanaLedger>(ledger: Ledger) {
  const rpc = createSolanaRpc(ledger.url);
  const subscriptions = createSolanaRpcSubscriptions(ledger.wsUrl);

  const latest = async () => (await rpc.getLatestBlockhash().send()).value;

  async function make({ payer, instructions, lifetime, nonce, tables }: Making) {
    const valid = lifetime ?? (await latest());
    const base = pipe(createTransactionMessage({ version: 0 }), (message) =>
      setTransactionMessageFeePayerSigner(payer, message),
    );
    const signed =
      nonce === undefined
        ? await signTransactionMessageWithSigners(
            pipe(
              base,
              (message) => setTransactionMessageLifetimeUsingBlockhash(valid, message),
              (message) => appendTransactionMessageInstructions(instructions, message),
              (message) => compressTransactionMessageUsingAddressLookupTables(message, tables ?? {}),
            ),
          )
        : await signTransactionMessageWithSigners(
            pipe(
              base,
              (message) =>
                setTransactionMessageLifetimeUsingDurableNonce(
                  {
                    nonceAccountAddress: nonce.nonceAccountAddress,
                    nonceAuthorityAddress: nonce.nonceAuthority.address,
                    nonce: nonce.nonce,
                  },
                  message,
                ),
              (message) => appendTransactionMessageInstructions(instructions, message),
            ),
          );
    return {
      transaction: signed,
      signature: getSignatureFromTransaction(signed),
      wire: getBase64EncodedWireTransaction(signed),
    };
  }

  const submit = (wire: Wire, config: { skipPreflight?: boolean } = {}) =>
    rpc.sendTransaction(wire, { encoding: 'base64', ...config }).send();

  const status = async (signature: Awaited<ReturnType<typeof make>>['signature']) =>
    (await rpc.getSignatureStatuses([signature], { searchTransactionHistory: true }).send()).value[0];

  /** Waits until a block contains the transaction. */
  async function landed(signature: Awaited<ReturnType<typeof make>>['signature']) {
    const end = Date.now() + 30_000;
    for (;;) {
      const found = await status(signature);
      if (found) return found;
      if (Date.now() > end) throw new Error('The transaction was not included in a block within 30 s.');
    }
  }

  async function send(making: Making, config: { skipPreflight?: boolean } = {}) {
    const made = await make(making);
    await submit(made.wire, config);
    return { ...made, ...(await landed(made.signature)) };
  }

  async function fund(to: Address, sol: number) {
    await landed(await rpc.requestAirdrop(to, lamports(BigInt(sol * 1e9))).send());
  }

  const balance = async (of: Address) => (await rpc.getBalance(of, { commitment: 'processed' }).send()).value;

  return { ledger, rpc, subscriptions, latest, make, submit, status, landed, send, fund, balance };
}

/** Returns the error of a call that is expected to fail. */
export async function failureOf(work: Promise<unknown>): Promise<{ message: string; context?: object }> {
  try {
    await work;
  } catch (error) {
    // The client's errors carry the server's data as context.
    return error as { message: string; context?: object };
  }
  throw new Error('The call did not fail.');
}
