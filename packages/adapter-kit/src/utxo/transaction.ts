import { secp256k1 } from '@noble/curves/secp256k1.js';
import {
  Address,
  DEFAULT_SEQUENCE,
  OutScript,
  p2wpkh,
  RawTx,
  Script,
  SigHash,
  TEST_NETWORK,
  Transaction,
} from '@scure/btc-signer';
import { hash160, sha256x2, signECDSA } from '@scure/btc-signer/utils.js';

/** An output that can be spent. Its id is `txid:vout`. */
export interface Coin extends UtxoOutput {
  id: string;
  txId: string;
  index: number;
  /** Height of its block; undefined in the mempool. */
  height?: number;
}

/** `coin` is the id of the spent output. */
export interface UtxoInput {
  coin: string;
  sequence: number;
  /** Script that unlocks the coin, in hex; empty for SegWit. */
  script: string;
  witness: readonly Uint8Array[];
}

export interface UtxoOutput {
  amount: bigint;
  /** Hex. */
  script: string;
  /** Absent for scripts without an address. */
  address?: string;
}

/** A transaction without inputs was created by `fund`. */
export interface UtxoTransaction {
  txId: string;
  bytes: Uint8Array;
  inputs: readonly UtxoInput[];
  outputs: readonly UtxoOutput[];
  /** Virtual bytes, for which fees are paid. */
  vsize: number;
}

/** Prefixes of addresses. */
export interface UtxoNetwork {
  bech32: string;
  pubKeyHash: number;
  scriptHash: number;
  wif: number;
}

const noWitness = { segwitFlag: false, witnesses: undefined };
/** The previous output of an input that creates coins instead of spending them. */
const nothing = { txid: new Uint8Array(32), index: 0xffffffff };
/** The highest input sequence that allows replacement (BIP 125). */
const highestReplaceable = 0xfffffffd;

export const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
export const fromHex = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'));
export const coinId = (txId: string, index: number): string => `${txId}:${index}`;
export const isReplaceable = ({ inputs }: UtxoTransaction): boolean =>
  inputs.some(({ sequence }) => sequence <= highestReplaceable);

/** Bitcoin's network for tests. */
export const regtest: UtxoNetwork = { ...TEST_NETWORK, bech32: 'bcrt' };

/** Hash in the byte order in which ids are displayed. */
export const displayedHash = (bytes: Uint8Array): string => toHex(sha256x2(bytes).toReversed());

/** Parses a serialized transaction. Returns undefined unless the bytes are exactly one transaction. */
export function decodeUtxoTransaction(
  bytes: Uint8Array,
  network: UtxoNetwork = regtest,
): UtxoTransaction | undefined {
  try {
    const raw = RawTx.decode(bytes);
    if (!Buffer.from(RawTx.encode(raw)).equals(bytes)) return undefined;
    const base = RawTx.encode({ ...raw, ...noWitness });
    const created = raw.inputs.some(({ index }) => index === nothing.index);
    return {
      txId: displayedHash(base),
      bytes: Uint8Array.from(bytes),
      inputs: created
        ? []
        : raw.inputs.map(({ txid, index, sequence, finalScriptSig }, at) => ({
            coin: coinId(toHex(txid), index),
            sequence,
            script: toHex(finalScriptSig),
            witness: raw.witnesses?.[at] ?? [],
          })),
      outputs: raw.outputs.map(({ amount, script }) => {
        const address = addressOfScript(script, network);
        return { amount, script: toHex(script), ...(address === undefined ? {} : { address }) };
      }),
      vsize: Math.ceil((base.length * 3 + bytes.length) / 4),
    };
  } catch {
    return undefined;
  }
}

/** Creates a transaction that creates an output from nothing. `serial` makes its id unique. */
export function createFunding(serial: number, output: UtxoOutput): UtxoTransaction {
  const finalScriptSig = new TextEncoder().encode(`funding ${serial}`);
  const bytes = RawTx.encode({
    version: 2,
    ...noWitness,
    inputs: [{ ...nothing, finalScriptSig, sequence: DEFAULT_SEQUENCE }],
    outputs: [{ amount: output.amount, script: fromHex(output.script) }],
    lockTime: 0,
  });
  return { txId: displayedHash(bytes), bytes, inputs: [], outputs: [output], vsize: bytes.length };
}

/**
 * Whether each input is signed for its coin. Supports only P2WPKH and P2PKH, with signatures over all inputs
 * and outputs.
 */
export function hasValidSignatures({ bytes, inputs }: UtxoTransaction, coins: readonly Coin[]): boolean {
  return inputs.every(({ script, witness }, index) => {
    const coin = coins[index];
    const isSegWit = witness.length > 0;
    const unlocking = isSegWit ? witness : pushed(script);
    const [signature, publicKey, ...more] = unlocking;
    if (coin === undefined || signature === undefined || publicKey === undefined || more.length > 0)
      return false;
    if (isSegWit && script !== '') return false;
    const hash = hash160(publicKey);
    if (toHex(OutScript.encode({ type: isSegWit ? 'wpkh' : 'pkh', hash })) !== coin.script) return false;
    if (signature.at(-1) !== SigHash.ALL) return false;
    const digest = digestOf(bytes, index, coin, publicKey);
    try {
      return secp256k1.verify(signature.subarray(0, -1), digest, publicKey, {
        prehash: false,
        format: 'der',
      });
    } catch {
      return false;
    }
  });
}

/** Returns the values that a script pushes; empty if the script does anything else. */
function pushed(script: string): Uint8Array[] {
  try {
    const parts = Script.decode(fromHex(script));
    return parts.every((part) => part instanceof Uint8Array) ? parts : [];
  } catch {
    return [];
  }
}

/**
 * Returns the digest that an input signs. For P2WPKH: that of BIP 143. For P2PKH: that of the transaction
 * with only the coin's script.
 */
function digestOf(
  bytes: Uint8Array,
  index: number,
  { script, amount }: Coin,
  publicKey: Uint8Array,
): Uint8Array {
  const code = OutScript.encode({ type: 'pkh', hash: hash160(publicKey) });
  if (toHex(code) !== script) {
    const options = { allowUnknownInputs: true, allowUnknownOutputs: true };
    return Transaction.fromRaw(bytes, options).preimageWitnessV0(index, code, SigHash.ALL, amount);
  }
  const raw = RawTx.decode(bytes);
  const inputs = raw.inputs.map((input, at) => ({
    ...input,
    finalScriptSig: at === index ? code : new Uint8Array(),
  }));
  const kind = Uint8Array.of(SigHash.ALL, 0, 0, 0);
  return sha256x2(Uint8Array.of(...RawTx.encode({ ...raw, ...noWitness, inputs }), ...kind));
}

/**
 * Returns the lowest amount of an output that nodes relay: three times the fee of spending it, at 1 satoshi
 * per byte.
 */
export function dustLimit(script: string): bigint {
  const length = script.length / 2;
  const isWitness = /^(?:00|5[1-9a-f]|60)(?:14|20)/.test(script) && (length === 22 || length === 34);
  return script.startsWith('6a') ? 0n : BigInt((8 + 1 + length + (isWitness ? 67 : 148)) * 3);
}

export function scriptOfAddress(address: string, network: UtxoNetwork): string {
  return toHex(OutScript.encode(Address(network).decode(address)));
}

/** Undefined for scripts without an address. */
function addressOfScript(script: Uint8Array, network: UtxoNetwork): string | undefined {
  try {
    return Address(network).encode(OutScript.decode(script));
  } catch {
    return undefined;
  }
}

/** Returns the P2WPKH address of a compressed public key. */
export function utxoAddressOf(publicKey: Uint8Array, network: UtxoNetwork): string {
  const { address } = p2wpkh(publicKey, network);
  if (address === undefined) throw new RangeError('The public key has no address.');
  return address;
}

/** Signs a transaction that spends coins of one key. */
export function signSpending(
  privateKey: Uint8Array,
  coins: readonly Coin[],
  outputs: readonly UtxoOutput[],
  network: UtxoNetwork,
): UtxoTransaction {
  const publicKey = secp256k1.getPublicKey(privateKey, true);
  const raw = {
    version: 2,
    inputs: coins.map(({ txId, index }) => ({
      txid: fromHex(txId),
      index,
      finalScriptSig: new Uint8Array(),
      sequence: highestReplaceable,
    })),
    outputs: outputs.map(({ amount, script }) => ({ amount, script: fromHex(script) })),
    lockTime: 0,
  };
  const unsigned = RawTx.encode({ ...raw, ...noWitness });
  const pkh = toHex(OutScript.encode({ type: 'pkh', hash: hash160(publicKey) }));
  const unlocking = coins.map((coin, index) => {
    const signature = signECDSA(digestOf(unsigned, index, coin, publicKey), privateKey);
    return { isSegWit: coin.script !== pkh, parts: [Uint8Array.of(...signature, SigHash.ALL), publicKey] };
  });
  const inputs = raw.inputs.map((input, index) => {
    const { isSegWit = true, parts = [] } = unlocking[index] ?? {};
    return isSegWit ? input : { ...input, finalScriptSig: Script.encode(parts) };
  });
  const witnesses = unlocking.map(({ isSegWit, parts }) => (isSegWit ? parts : []));
  const isAnySegWit = unlocking.some(({ isSegWit }) => isSegWit);
  const witness = isAnySegWit ? { segwitFlag: true, witnesses } : noWitness;
  const signed = decodeUtxoTransaction(RawTx.encode({ ...raw, inputs, ...witness }), network);
  if (signed === undefined) throw new RangeError('The transaction could not be encoded.');
  return signed;
}
