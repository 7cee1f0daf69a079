import {
  AdapterError,
  adapterError,
  type Checked,
  type CheckRequest,
  type ResolvedOperation,
} from '@ledger-ops/adapter';
import type { EthereumContent } from '@ledger-ops/glo-core';
import { encodeOperation } from './abi/encode.ts';
import type { AbiCache } from './abi/interface.ts';
import type { CodeCache } from './blocks/code-cache.ts';
import type { LedgerView } from './blocks/ledger-view.ts';
import { type BoundedContent, type BoundsContext, requireGasLimit, requireInitCode } from './gas/bounds.ts';
import { chooseFee, type GivenFee } from './gas/fees.ts';
import { intrinsicGas, strictestRules } from './gas/intrinsic-gas.ts';
import { invalid } from './invalid.ts';
import { readNative } from './native.ts';
import { costOf, type Plan, planToJson, unpayable } from './plan.ts';
import type { EthereumProperties } from './properties.ts';
import type { AccessList } from './transactions/access-list.ts';
import { requireAddress } from './transactions/address.ts';
import type { Fee } from './transactions/fee.ts';
import { requireSize } from './transactions/size.ts';

/** The parts of a session that `check` needs. */
export interface CheckContext extends BoundsContext {
  codes: CodeCache;
  abis: AbiCache;
}

const phase = 'check';
const maximumNonce = (1n << 64n) - 2n;
const maximumPrice = (1n << 128n) - 1n;

/**
 * Checks an operation and makes its plan. Queries a node only for data that is not cached.
 *
 * @throws AdapterError as documented at `LedgerSession.check`. Pointers into meta are `/native/<field>`.
 */
export async function checkOperation(
  { wallet, operation }: CheckRequest,
  context: CheckContext,
): Promise<Checked> {
  const native = readNative(operation, phase);
  const view = await context.views.current(phase);
  const from = requireAddress(wallet.address, phase, '/wallet/address');
  requireOwn(native, from, view.chainId);
  const encoded = encodeOperation(operation, context.abis, phase);
  context.registry.learn(encoded.errors);
  const accessList = readAccessList(native);
  const { to, value, data } = encoded;
  const content: BoundedContent = {
    ...{ from, to, value, data, accessList },
    creation: operation.type === 'contract_deploy',
  };
  requireSize(content, phase, dataPointerOf(operation));
  if (isUndeployed(operation)) {
    readGivenFee(native, view, context.properties);
    if (native.gasLimit !== undefined) await requireGasLimit(native.gasLimit, content, view, context);
    // No plan, because a plan without a target would be a deployment.
    return {
      plan: {},
      recipients: [],
      ...(native.nonce === undefined ? {} : { sequence: requireNonce(native.nonce) }),
      readiness: 'estimate',
      cost: encoded.value,
    };
  }
  const given = readGivenFee(native, view, context.properties);
  await requireInitCode(content, dataPointerOf(operation), context);
  const gas = await gasOf(operation, native, content, view, context);
  const chosen = gas === undefined ? undefined : chooseFee(view, given, context.properties.maxFeeCap, phase);
  const fee: Fee | undefined = chosen !== undefined && 'fee' in chosen ? chosen.fee : undefined;
  const priced: Plan = {
    type: operation.type,
    chainId: view.chainId,
    ...{ to, value, data, accessList },
    gas,
    fee,
    given,
    errors: gas === undefined ? encoded.errors.slice(0, 64) : [],
  };
  const problem = unpayable(priced, phase);
  if (problem?.code === 'refused') throw new AdapterError(problem);
  // The estimate reads the fee again.
  const plan: Plan = problem === undefined ? priced : { ...priced, fee: undefined };
  const receives = to !== null && to !== from && (operation.type === 'transfer' || encoded.value > 0n);
  return {
    plan: planToJson(plan),
    recipients: receives ? [to] : [],
    ...(native.nonce === undefined ? {} : { sequence: requireNonce(native.nonce) }),
    readiness: gas !== undefined && plan.fee !== undefined ? 'ready' : 'estimate',
    cost: costOf(plan),
  };
}

/** Returns the pointer to the member of the operation that the data comes from. */
function dataPointerOf(operation: ResolvedOperation): string {
  if (operation.data !== undefined || operation.type === 'transfer') return '/native/data';
  return operation.type === 'contract_deploy' ? '/contract_source/resource' : '/args';
}

/** Whether the operation calls a contract that another pending action will deploy. */
export function isUndeployed(operation: ResolvedOperation): boolean {
  return operation.type === 'contract_call' && operation.contract.address === null;
}

function requireOwn(native: EthereumContent, from: string, chainId: bigint): void {
  if (native.from !== undefined && requireAddress(native.from, phase, '/native/from') !== from) {
    throw adapterError(
      'wrong-sender',
      `from is ${native.from}, but the wallet is ${from}. Omit the field from.`,
      {
        phase,
        issues: [{ pointer: '/native/from', detail: 'is not the address of the wallet' }],
      },
    );
  }
  if (native.chainId !== undefined && native.chainId !== chainId) {
    throw adapterError('wrong-chain', `chainId is ${native.chainId}, but the ledger is chain ${chainId}.`, {
      phase,
      issues: [{ pointer: '/native/chainId', detail: `is not ${chainId}` }],
    });
  }
}

function requireNonce(nonce: bigint): bigint {
  if (nonce >= 0n && nonce <= maximumNonce) return nonce;
  throw invalid(phase, '/native/nonce', 'must be between 0 and 2^64 - 2');
}

function readAccessList({ accessList }: EthereumContent): AccessList | undefined {
  return accessList?.map(({ address, storageKeys }, index) => ({
    address: requireAddress(address, phase, `/native/accessList/${index}/address`),
    storageKeys: storageKeys.map((key, place) => {
      if (/^0x[0-9a-fA-F]{64}$/.test(key)) return key.toLowerCase();
      const pointer = `/native/accessList/${index}/storageKeys/${place}`;
      throw invalid(phase, pointer, 'must be 0x followed by 64 hexadecimal digits');
    }),
  }));
}

/** Returns the user's part of the fee. Rejects fees that are impossible on this ledger. */
function readGivenFee(native: EthereumContent, view: LedgerView, properties: EthereumProperties): GivenFee {
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas } = native;
  for (const [name, price] of Object.entries({ gasPrice, maxFeePerGas, maxPriorityFeePerGas })) {
    if (price === undefined) continue;
    const pointer = `/native/${name}`;
    if (price < 0n || price > maximumPrice) throw invalid(phase, pointer, 'must be between 0 and 2^128 - 1');
    const cap = properties.maxFeeCap;
    if (cap !== undefined && price > cap) {
      const detail = `is ${price} wei per gas, but the ledger's max_fee_cap is ${cap}`;
      throw adapterError('fee-above-cap', `${name} ${detail}.`, { phase, issues: [{ pointer, detail }] });
    }
  }
  const dynamic = maxFeePerGas ?? maxPriorityFeePerGas;
  const dynamicPointer = maxFeePerGas === undefined ? '/native/maxPriorityFeePerGas' : '/native/maxFeePerGas';
  if (gasPrice !== undefined && dynamic !== undefined) {
    throw invalid(phase, '/native/gasPrice', 'cannot be combined with an EIP-1559 fee; use one or the other');
  }
  if (dynamic !== undefined && view.mode === 'legacy') {
    throw invalid(
      phase,
      dynamicPointer,
      'is an EIP-1559 fee, but this ledger uses legacy fees; use gasPrice',
    );
  }
  if (
    maxFeePerGas !== undefined &&
    maxPriorityFeePerGas !== undefined &&
    maxPriorityFeePerGas > maxFeePerGas
  ) {
    throw invalid(phase, '/native/maxPriorityFeePerGas', 'must not exceed maxFeePerGas');
  }
  return {
    ...(gasPrice === undefined ? {} : { gasPrice }),
    ...(maxFeePerGas === undefined ? {} : { maxFeePerGas }),
    ...(maxPriorityFeePerGas === undefined ? {} : { maxPriorityFeePerGas }),
  };
}

/**
 * Returns the gas limit if it is set or can be computed without an estimate; otherwise undefined.
 * @throws AdapterError `unknown-contract` if a contract call's address has no code
 */
async function gasOf(
  operation: ResolvedOperation,
  native: EthereumContent,
  content: BoundedContent,
  view: LedgerView,
  context: CheckContext,
): Promise<bigint | undefined> {
  const { to } = content;
  const { head } = view;
  const { codes } = context;
  if (operation.type === 'contract_call' && to !== null) {
    const cached = codes.isContract(to, head.height, phase);
    if (!(typeof cached === 'boolean' ? cached : await cached)) {
      const detail = `There is no contract at ${to} on this ledger.`;
      throw adapterError('unknown-contract', detail, {
        phase,
        issues: [{ pointer: '/contract_instance/resource', detail: 'is an address without code' }],
      });
    }
  }
  if (native.gasLimit !== undefined) {
    await requireGasLimit(native.gasLimit, content, view, context);
    return native.gasLimit;
  }
  if (operation.type !== 'transfer' || to === null || view.transferGas === 'estimate') return undefined;
  const cached = codes.hasCode(to, head.height, phase);
  const hasCode = typeof cached === 'boolean' ? cached : await cached;
  // On chains without a floor price of data (EIP-7623), the unused gas is refunded.
  return hasCode ? undefined : intrinsicGas(content, strictestRules);
}
