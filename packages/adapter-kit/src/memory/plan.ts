import type {
  Checked,
  CheckRequest,
  FeeRaise,
  JsonObject,
  Phase,
  ResolvedOperation,
} from '@ledger-ops/adapter';
import { adapterError } from '@ledger-ops/adapter';
import { parseAddress, sha256, toHex } from './address.ts';
import { parseInterface, readArguments, selectMethod } from './contract-interface.ts';
import { encodeData } from './contracts.ts';
import { type MemoryContent, readContent } from './native-content.ts';
import { gasPerTransaction } from './transaction.ts';

/** A memory session's plan for an operation. `gasPrice` is null before the estimate. */
export interface MemoryPlan {
  from: string;
  to: string | null;
  value: bigint;
  data: string;
  gas: bigint;
  gasPrice: bigint | null;
  /** Whether the user set the price. If so, it is raised only when a user asks to speed up the action. */
  fixedPrice: boolean;
  type: ResolvedOperation['type'];
  /** Number of transactions that must precede the one that performs the operation. */
  ahead: number;
  /** How many times the transaction was created again because a block contained it as invalid. */
  round: number;
  /** SHA-256 of secret data that must not be stored in plain text. */
  secret: string | null;
  payer?: string;
  signers?: string[];
}

/** Properties of the ledger from which plans are made. */
export interface PlanContext {
  chainId: bigint;
  /** Current price per unit of gas. */
  gasPrice: bigint;
  /** Fee cap of one transaction, in native currency. */
  feeCap: bigint | undefined;
  /** Number of transactions that a deployment takes. */
  deploySteps: number;
}

const maximum = (1n << 256n) - 1n;

/** Returns the plan as JSON, as the host stores it. */
export function planToJson(plan: MemoryPlan): JsonObject {
  return {
    ...plan,
    value: plan.value.toString(),
    gas: plan.gas.toString(),
    gasPrice: plan.gasPrice?.toString() ?? null,
  };
}

/** @throws AdapterError `invalid-argument` if it is not a plan of this adapter */
export function planFromJson(json: JsonObject, phase: Phase): MemoryPlan {
  const { from, to, value, data, gas, gasPrice, fixedPrice, type, ahead, round, secret, payer, signers } =
    json;
  if (
    typeof from !== 'string' ||
    (typeof to !== 'string' && to !== null) ||
    typeof value !== 'string' ||
    typeof data !== 'string' ||
    typeof gas !== 'string' ||
    (typeof gasPrice !== 'string' && gasPrice !== null) ||
    typeof fixedPrice !== 'boolean' ||
    typeof ahead !== 'number' ||
    typeof round !== 'number' ||
    (typeof secret !== 'string' && secret !== null) ||
    (payer !== undefined && typeof payer !== 'string') ||
    (signers !== undefined && !Array.isArray(signers)) ||
    (type !== 'transfer' && type !== 'contract_call' && type !== 'contract_deploy')
  ) {
    throw adapterError('invalid-argument', 'The plan was not created by this adapter.', { phase });
  }
  return {
    from,
    to,
    data,
    fixedPrice,
    type,
    ahead,
    round,
    secret,
    value: BigInt(value),
    gas: BigInt(gas),
    gasPrice: gasPrice === null ? null : BigInt(gasPrice),
    ...(payer === undefined ? {} : { payer }),
    ...(signers === undefined ? {} : { signers: signers.map(String) }),
  };
}

/** @throws AdapterError `invalid-argument` with a pointer to the address */
export function requireAddress(text: string, phase: Phase, pointer: string): string {
  const address = parseAddress(text);
  if (address !== undefined) return address;
  const detail = 'is not an address; it must be 0x followed by 40 hexadecimal digits';
  throw adapterError('invalid-argument', `${pointer} ${detail}.`, { phase, issues: [{ pointer, detail }] });
}

function requireQuantity(value: bigint, phase: Phase, pointer: string): bigint {
  if (value >= 0n && value <= maximum) return value;
  const detail = 'must be between 0 and 2^256 - 1';
  throw adapterError('invalid-argument', `${pointer} ${detail}.`, { phase, issues: [{ pointer, detail }] });
}

/** Target, value and data of an operation. Refuses malformed members. */
export function encodeOperation(
  operation: ResolvedOperation,
  phase: Phase,
): { to: string | null; value: bigint; data: string } {
  switch (operation.type) {
    case 'transfer': {
      const to = requireAddress(operation.recipient, phase, '/recipient/resource');
      return { to, value: requireQuantity(operation.amount, phase, '/amount'), data: '0x' };
    }
    case 'contract_call': {
      const { address } = operation.contract;
      const to = address === null ? null : requireAddress(address, phase, '/contract_instance/resource');
      const value = requireQuantity(operation.value, phase, '/value');
      return { to, value, data: encodeCall(operation, phase) };
    }
    case 'contract_deploy': {
      const value = requireQuantity(operation.value, phase, '/value');
      const { source, data } = operation;
      if (data !== undefined) return { to: null, value, data };
      if (source === undefined) {
        const detail = 'names neither a source nor creation code';
        const issues = [{ pointer: '/contract_source', detail }];
        throw adapterError('invalid-argument', `The deployment ${detail}.`, { phase, issues });
      }
      const { constructorInputs } = parseInterface(source.interface, phase);
      const args = readArguments(constructorInputs, operation.args, phase);
      return { to: null, value, data: encodeData({ code: source.code, args }) };
    }
  }
}

function encodeCall(operation: ResolvedOperation & { type: 'contract_call' }, phase: Phase): string {
  const { data, method, contract } = operation;
  if (data !== undefined) return data;
  if (method === undefined) {
    const detail = 'The call names neither a method nor data.';
    throw adapterError('invalid-argument', detail, { phase, issues: [{ pointer: '/method_name', detail }] });
  }
  if (contract.interface !== undefined) {
    const { signature, inputs } = selectMethod(
      parseInterface(contract.interface, phase).methods,
      method.name,
      phase,
    );
    return encodeData({ method: signature, args: readArguments(inputs, method.args, phase) });
  }
  const types = /^[A-Za-z_][A-Za-z0-9_]*\(((?:string|uint|bool)(?:,(?:string|uint|bool))*)?\)$/.exec(
    method.name,
  );
  if (types === null) {
    const detail = `${method.name} must be a signature such as set(string,string), because the contract has no interface.`;
    throw adapterError('unknown-method', detail, { phase, issues: [{ pointer: '/method_name', detail }] });
  }
  const inputs = (types[1]?.split(',') ?? []).map((type) => ({ name: '', type }));
  return encodeData({ method: method.name, args: readArguments(inputs, method.args, phase) });
}

/** Whether the operation calls a contract that another pending action will deploy. */
export function isUndeployed(operation: ResolvedOperation): boolean {
  return operation.type === 'contract_call' && operation.contract.address === null;
}

/** Refuses an operation that names another sender or another chain. */
function requireOwn(
  { wallet }: CheckRequest,
  { from, chainId: named }: MemoryContent,
  chainId: bigint,
): void {
  if (from !== undefined && parseAddress(from) !== parseAddress(wallet.address)) {
    throw adapterError('wrong-sender', `from is ${from}, but the wallet is ${wallet.address}.`, {
      phase: 'check',
    });
  }
  if (named !== undefined && named !== chainId) {
    throw adapterError('wrong-chain', `chainId is ${named}, but the ledger has ${chainId}.`, {
      phase: 'check',
    });
  }
}

/** Returns the additional payer and signers, each of which must be one of the request's `others`. */
function othersOf({ wallet, others = [] }: CheckRequest, { payer, signers }: MemoryContent) {
  const known = new Set([wallet, ...others].map(({ address }) => address));
  const named = [
    ...(payer === undefined ? [] : [['/native/payer', payer] as const]),
    ...signers.map((signer, index) => [`/native/signers/${index}`, signer] as const),
  ];
  for (const [pointer, address] of named) {
    if (known.has(address)) continue;
    const detail = 'names a wallet that is not one of the signers';
    const issues = [{ pointer, detail }];
    throw adapterError('invalid-argument', `${pointer} ${detail}.`, { phase: 'check', issues });
  }
  return {
    ...(payer === undefined || payer === wallet.address ? {} : { payer }),
    ...(signers.length === 0 ? {} : { signers }),
  };
}

/** Returns the hash of a plan's secret, which the plan contains. */
export function secretHash(secret: JsonObject): string {
  return toHex(sha256(JSON.stringify(secret)));
}

/** Without `max_fee_cap`, a fee is raised to at most this multiple of the current price. */
const highestRaise = 100n;

/**
 * Returns the next price after a transaction of the plan has expired: 25% more, or 100% more if a user
 * requested a higher fee.
 */
export function raisedPrice(
  { gas, gasPrice, fixedPrice }: MemoryPlan,
  { going, feeCap }: { going: bigint; feeCap: bigint | undefined },
  { reason, cap }: FeeRaise,
): bigint {
  const previous = gasPrice ?? going;
  if (fixedPrice && reason === 'expired') return previous;
  const own = feeCap === undefined ? going * highestRaise : feeCap / gas;
  const most = cap === undefined || own < cap ? own : cap;
  const raised = reason === 'hurried' ? previous * 2n : (previous * 5n + 3n) / 4n;
  const wanted = raised > going ? raised : going;
  // The price is never lowered, even if it is above the caps.
  if (most < previous) return previous;
  return wanted < most ? wanted : most;
}

/** Creates the plan of an operation. */
export function checkOperation(request: CheckRequest, context: PlanContext): Checked & { fee: bigint } {
  const { wallet, operation } = request;
  const from = requireAddress(wallet.address, 'check', '/wallet');
  const native = readContent(operation.native.content);
  requireOwn(request, native, context.chainId);
  const paying = othersOf(request, native);
  const { to, value, data } = encodeOperation(operation, 'check');
  // Secret data that is needed to create the transaction, but that the transaction does not contain.
  const secret: JsonObject | undefined =
    native.transient === undefined ? undefined : { transient: native.transient };
  const userPrice = native.maxFeePerGas ?? native.gasPrice;
  const gas = native.gasLimit ?? gasPerTransaction;
  const price = userPrice ?? context.gasPrice;
  const fee = gas * price;
  const aboveCap = context.feeCap !== undefined && fee > context.feeCap;
  if (aboveCap && userPrice !== undefined) {
    throw adapterError('fee-above-cap', `The fee of ${fee} is above the cap of ${context.feeCap}.`, {
      phase: 'check',
    });
  }
  const ready =
    !aboveCap && !isUndeployed(operation) && (operation.type === 'transfer' || native.gasLimit !== undefined);
  const plan: MemoryPlan = {
    type: operation.type,
    from,
    to,
    value,
    data,
    gas,
    gasPrice: ready ? price : (userPrice ?? null),
    fixedPrice: userPrice !== undefined,
    ahead: operation.type === 'contract_deploy' ? context.deploySteps - 1 : 0,
    round: 0,
    secret: secret === undefined ? null : secretHash(secret),
    ...paying,
  };
  const receives = to !== null && to !== from && (operation.type === 'transfer' || value > 0n);
  return {
    // A plan for a call to an undeployed contract has no target, so it must not look like a deployment.
    plan: isUndeployed(operation) ? {} : planToJson(plan),
    ...(secret === undefined || isUndeployed(operation) ? {} : { secret }),
    recipients: receives ? [to] : [],
    ...(native.nonce === undefined ? {} : { sequence: native.nonce }),
    readiness: ready ? 'ready' : 'estimate',
    cost: paying.payer === undefined ? value + fee : value,
    ...(paying.payer === undefined ? {} : { costs: [{ address: paying.payer, amount: fee }] }),
    fee: paying.payer === undefined ? fee : 0n,
  };
}
