// @ts-check

/**
 * @import { Answered } from '@ledger-ops/adapter'
 * @import { CallError } from './node.js'
 */

/** Messages of Bitcoin Core and btcd about the fee. */
const aboutFees = /** @type {const} */ ([
  [/(?:relay|mempool min) fee not met|under the required amount/i, 'minimum'],
  [/insufficient (?:absolute )?fee/i, 'outbid'],
]);

/**
 * Why a node refused a transaction. Another node, or the same node later, may accept it.
 * @param {CallError} error
 * @returns {Answered}
 */
export function refusalOf({ code, message }) {
  const fee = aboutFees.find(([pattern]) => pattern.test(message));
  const detail =
    code === -25
      ? `The node does not know a coin that the transaction spends, or the coin is already spent: ${message}.`
      : `The node refused the transaction: ${message}.`;
  const problem = /** @type {const} */ ({ code: 'refused', detail });
  return { status: 'refused', problem, ...(fee !== undefined && { feeTooLow: fee[1] }) };
}
