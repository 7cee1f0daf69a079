import { AdapterError, adapterError, type Emulated, type EmulateRequest } from '@ledger-ops/adapter';
import { NodeError } from '@ledger-ops/adapter/outbound';
import { formatEther } from 'ethers';
import { decodeValues, namedValues } from './abi/decode.ts';
import { type EncodedOperation, encodeOperation } from './abi/encode.ts';
import type { ErrorRegistry } from './abi/error-registry.ts';
import type { AbiCache } from './abi/interface.ts';
import type { CodeCache } from './blocks/code-cache.ts';
import type { LedgerView, LedgerViews } from './blocks/ledger-view.ts';
import { isUndeployed } from './check.ts';
import { chooseFee } from './gas/fees.ts';
import { withHeadroom } from './gas/gas-limit.ts';
import { askedOf } from './gas/replacement-fee.ts';
import { readNative } from './native.ts';
import type { EthereumProperties } from './properties.ts';
import { callObject } from './rpc/call-object.ts';
import { problemOf } from './rpc/errors.ts';
import type { RpcAnswer } from './rpc/node.ts';
import type { Nodes } from './rpc/nodes.ts';
import { readQuantity } from './rpc/quantity.ts';
import { requireAddress } from './transactions/address.ts';
import { highestPrice } from './transactions/fee.ts';

/** The parts of a session that `emulate` needs. */
export interface EmulateContext {
  nodes: Nodes;
  views: LedgerViews;
  abis: AbiCache;
  codes: CodeCache;
  registry: ErrorRegistry;
  properties: EthereumProperties;
}

const phase = 'emulate';

/**
 * Runs an operation on the newest block without changing anything. With a wallet, runs it as that wallet, and
 * estimates gas and fee.
 *
 * @throws AdapterError `reverted`, `insufficient-funds`, `invalid-argument`, and those of `check`
 */
export async function emulateOperation(
  { wallet, operation }: EmulateRequest,
  context: EmulateContext,
): Promise<Emulated> {
  const { accessList, gasPrice, maxFeePerGas, maxPriorityFeePerGas } = readNative(operation, phase);
  if (isUndeployed(operation)) {
    throw adapterError(
      'unknown-contract',
      'The contract is not deployed yet, so calls to it cannot be emulated.',
      {
        phase,
      },
    );
  }
  const encoded = encodeOperation(operation, context.abis, phase);
  context.registry.learn(encoded.errors);
  const from = wallet === undefined ? undefined : requireAddress(wallet.address, phase, '/wallet/address');
  const call = callObject(from, { ...encoded, accessList });
  const calls = operation.type === 'contract_call' ? [{ method: 'eth_call', params: [call, 'latest'] }] : [];
  const estimates =
    from === undefined
      ? []
      : [
          { method: 'eth_estimateGas', params: [call] },
          { method: 'eth_getBalance', params: [from, 'latest'] },
        ];
  const { answers, view } = await context.nodes.onNode(phase, async (node) => {
    const [found, current] = await Promise.all([
      node.batch([...calls, ...estimates]),
      context.views.current(phase),
    ]);
    return { answers: found, view: current };
  });
  const results = answers.map((answer) => requireAnswer(answer, context.registry));
  const played =
    calls.length === 0 ? { result: null } : await readReturned(encoded, results[0], view, context.codes);
  if (from === undefined) return played;
  const gas = withHeadroom(readQuantity(results.at(-2), 'an estimate'), view.head.gasLimit);
  const balance = readQuantity(results.at(-1), 'a balance');
  const given = {
    ...(gasPrice === undefined ? {} : { gasPrice }),
    ...(maxFeePerGas === undefined ? {} : { maxFeePerGas }),
    ...(maxPriorityFeePerGas === undefined ? {} : { maxPriorityFeePerGas }),
  };
  const chosen = chooseFee(view, given, undefined, phase);
  const fee =
    gas * ('fee' in chosen ? goingPrice(view, highestPrice(chosen.fee)) : (view.head.baseFee ?? 0n));
  if (balance < encoded.value + fee) {
    const detail = `${from} holds ${etherText(balance)}, but the operation needs about ${etherText(encoded.value + fee)} with its fee.`;
    throw adapterError('insufficient-funds', detail, { phase });
  }
  const figures = { gas: gas.toString(), baseFee: (view.head.baseFee ?? 0n).toString() };
  return { ...played, fee, figures: { ...played.figures, ...figures } };
}

/** Returns the current price, which is lower than the maximum price in the transaction. */
function goingPrice(view: LedgerView, highest: bigint): bigint {
  const { going } = askedOf(view, view.mode);
  return going < highest ? going : highest;
}

function requireAnswer(answer: RpcAnswer, registry: ErrorRegistry): unknown {
  if (answer.ok) return answer.result;
  throw new AdapterError(problemOf(answer.error, phase, registry, { otherwise: 'unavailable' }));
}

/** Maximum number of hex digits of returned data that are shown. */
const longestShown = 32_768;

/**
 * Returns the result of a call. A contract may return something other than its interface declares without
 * failing. The raw data is then returned with a warning.
 *
 * @throws AdapterError `unknown-contract`, `invalid-argument`
 */
async function readReturned(
  { method, to }: EncodedOperation,
  returned: unknown,
  view: LedgerView,
  codes: CodeCache,
): Promise<Pick<Emulated, 'result' | 'figures' | 'warnings'>> {
  if (typeof returned !== 'string')
    throw new NodeError('unavailable', 'A node returned no result for a call.');
  if (method === undefined) return { result: returned };
  const { outputs } = method;
  const signature = method.format('sighash');
  const declared = outputs.map((output) => output.format('sighash')).join(', ');
  if (returned === '0x' && outputs.length > 0) {
    const isContract =
      !method.constant && to !== null && (await codes.isContract(to, view.head.height, phase));
    if (!isContract) throw nothingReturned(to);
    const warning = `${signature} returned nothing, although its interface declares ${declared}. Some tokens behave this way. The action succeeds if the transaction does not revert.`;
    return { result: null, figures: { returned }, warnings: [warning] };
  }
  try {
    const values = decodeValues(outputs, returned);
    const result = outputs.length > 1 ? namedValues(outputs, values) : (values[0] ?? null);
    if (method.constant || declared !== 'bool' || result !== false) return { result };
    const warning = `${signature} returned false without reverting. If you send it, the action succeeds even if the contract does nothing.`;
    return { result, warnings: [warning] };
  } catch (cause) {
    if (returned.length > longestShown) throw unfitting(cause);
    const warning = `${signature} returned data that does not match the outputs in its interface (${declared}). figures.returned contains the raw data.`;
    return { result: null, figures: { returned: returned.toLowerCase() }, warnings: [warning] };
  }
}

function nothingReturned(to: string | null): AdapterError {
  return new AdapterError({
    code: 'unknown-contract',
    phase,
    detail: `${to} returned nothing: it is not a contract, or it does not have this method.`,
  });
}

function unfitting(cause: unknown): AdapterError {
  const detail = 'does not match the data that the contract returned';
  return new AdapterError(
    {
      code: 'invalid-argument',
      phase,
      detail: 'The returned data does not match the outputs in the interface.',
      issues: [{ pointer: '/contract_instance/interface', detail }],
    },
    { cause },
  );
}

/** Formats an amount of wei for users: `0.05 ETH`. */
function etherText(wei: bigint): string {
  return `${formatEther(wei).replace(/[.]0$/, '')} ETH`;
}
