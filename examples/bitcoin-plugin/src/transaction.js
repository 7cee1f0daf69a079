// @ts-check
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { Address, OutScript, RawTx, SigHash, Transaction } from '@scure/btc-signer';
import { hash160, sha256x2 } from '@scure/btc-signer/utils.js';
import { coin } from './networks.js';

/**
 * @import { ClaimingTransaction } from '@ledger-ops/adapter'
 * @import { Network } from './networks.js'
 *
 * An output that can be spent. Amounts in satoshi.
 * @typedef {{ txId: string, index: number, amount: bigint }} Coin
 *
 * A transaction before it is signed, as JSON. Amounts are decimal strings, scripts are hex strings.
 * @typedef {object} Draft
 * @property {string} publicKey hex
 * @property {{ txId: string, index: number, amount: string }[]} inputs
 * @property {{ script: string, amount: string }[]} outputs
 * @property {string} cost
 * @property {ClaimingTransaction[]} needs
 */

/** Allows replacement by a transaction with a higher fee (BIP 125). */
const replaceable = 0xfffffffd;
/** Virtual bytes of a transaction without inputs and outputs, of a P2WPKH input, and of an output without its script. */
const [baseSize, inputSize, outputSize] = [11, 68, 9];

/** @param {Uint8Array} bytes */
export const toHex = (bytes) => Buffer.from(bytes).toString('hex');
/** @param {string} hex */
export const fromHex = (hex) => Uint8Array.from(Buffer.from(hex, 'hex'));
/** @param {{ txId: string, index: number }} coin */
export const claimOf = ({ txId, index }) => `${txId}:${index}`;

/**
 * @param {string} address
 * @param {Network} network
 * @returns {string | undefined} its script in hex; undefined if it is not an address of the network
 */
export function scriptOf(address, network) {
  try {
    return toHex(OutScript.encode(Address(network).decode(address)));
  } catch {
    return undefined;
  }
}

/**
 * The P2WPKH address of a key.
 * @param {Uint8Array} publicKey compressed
 * @param {Network} network
 */
export function addressOf(publicKey, network) {
  secp256k1.Point.fromBytes(publicKey);
  return Address(network).encode({ type: 'wpkh', hash: hash160(publicKey) });
}

/**
 * The maximum size of a signed transaction, in virtual bytes.
 * @param {number} inputs
 * @param {readonly string[]} scripts output scripts
 */
export function sizeOf(inputs, scripts) {
  const outputs = scripts.reduce((sum, script) => sum + outputSize + script.length / 2, 0);
  return BigInt(baseSize + inputs * inputSize + outputs);
}

/**
 * The lowest amount that nodes accept in an output: the cost of creating and spending it, at the dust rate.
 * @param {string} script
 */
export function dustLimit(script) {
  const isWitness = /^(?:00|5[1-9a-f]|60)(?:14|20)/.test(script);
  return BigInt(outputSize + script.length / 2 + (isWitness ? 67 : 148)) * coin.dustRate;
}

/**
 * The digest that each input signs (BIP 143).
 * @param {Draft} draft
 */
export function digestsOf(draft) {
  const unsigned = Transaction.fromRaw(encode(draft), { allowUnknownOutputs: true });
  const code = OutScript.encode({ type: 'pkh', hash: hash160(fromHex(draft.publicKey)) });
  return draft.inputs.map(({ amount }, index) =>
    unsigned.preimageWitnessV0(index, code, SigHash.ALL, BigInt(amount)),
  );
}

/**
 * @param {Draft} draft
 * @param {readonly Uint8Array[]} signatures r‖s‖v, one per input
 */
export function assemble(draft, signatures) {
  const witnesses = signatures.map((signature) => {
    const der = secp256k1.Signature.fromBytes(signature.subarray(0, 64)).toBytes('der');
    return [Uint8Array.of(...der, SigHash.ALL), fromHex(draft.publicKey)];
  });
  // The id does not depend on the signatures (BIP 141).
  const txId = toHex(sha256x2(encode(draft)).toReversed());
  return { txId, bytes: encode(draft, witnesses) };
}

/**
 * @param {Draft} draft
 * @param {Uint8Array[][]} [witnesses]
 */
function encode({ inputs, outputs }, witnesses) {
  return RawTx.encode({
    version: 2,
    segwitFlag: witnesses !== undefined,
    inputs: inputs.map(({ txId, index }) => ({
      txid: fromHex(txId),
      index,
      finalScriptSig: new Uint8Array(),
      sequence: replaceable,
    })),
    outputs: outputs.map(({ amount, script }) => ({ amount: BigInt(amount), script: fromHex(script) })),
    witnesses,
    lockTime: 0,
  });
}

/**
 * Whether a key signed an input, as nodes report it.
 * @param {any} input
 * @param {string} publicKey hex
 */
export const isSignedBy = ({ txinwitness }, publicKey) => txinwitness?.[1] === publicKey;

/** @param {Uint8Array} bytes a signed transaction */
export function decode(bytes) {
  const { inputs, outputs, ...raw } = RawTx.decode(bytes);
  const base = RawTx.encode({ ...raw, inputs, outputs, segwitFlag: false, witnesses: undefined });
  return {
    /** Virtual bytes. */
    size: BigInt(Math.ceil((base.length * 3 + bytes.length) / 4)),
    inputs: inputs.map(({ txid, index }) => ({ txId: toHex(txid), index })),
    outputs: outputs.map(({ amount, script }) => ({ amount, script: toHex(script) })),
  };
}
