import {
  adapterError,
  type Checked,
  type CheckRequest,
  type Phase,
  type ResolvedOperation,
  type WalletIdentity,
} from '@ledger-ops/adapter';
import type { FabricContent } from '@ledger-ops/glo-core';
import { readArguments, readPlainArguments } from './chaincode/arguments.ts';
import type { Definitions } from './chaincode/definitions.ts';
import { planDeployment } from './chaincode/deployment.ts';
import { type MetadataCache, selectFunction } from './chaincode/interface.ts';
import { readNative } from './chaincode/native.ts';
import { readTransient } from './chaincode/transient.ts';
import {
  type ContractAddress,
  isSystemChaincode,
  readContractAddress,
  requireAddress,
} from './identity/address.ts';
import { invalid } from './invalid.ts';
import { type Msps, requireIdentity } from './msp/msp.ts';
import { type CallPlan, planToJson } from './plan.ts';
import type { FabricProperties } from './properties.ts';

/** The parts of a session that `check` needs. */
export interface CheckContext {
  msps: Msps;
  definitions: Definitions;
  metadata: MetadataCache;
  properties: FabricProperties;
  now(): number;
}

type Call = Extract<ResolvedOperation, { type: 'contract_call' }>;
type Transfer = Extract<ResolvedOperation, { type: 'transfer' }>;

const phase = 'check';

/**
 * Checks an operation and makes its plan. Queries the ledger only for data that is not cached.
 * @throws AdapterError as documented at `LedgerSession.check`, and `certificate-invalid`. Pointers into meta are
 * `/native/<field>`.
 */
export async function checkOperation(
  { wallet, operation }: CheckRequest,
  context: CheckContext,
): Promise<Checked> {
  const identity = requireIdentity(wallet, phase);
  const channel = channelOf(operation, context.properties);
  await context.msps.requireValid(channel, identity, phase, context.now());
  switch (operation.type) {
    case 'contract_call':
      return checkCall(operation, context);
    case 'transfer':
      return checkTransfer(operation, wallet, context);
    case 'contract_deploy':
      return planDeployment(operation, readNative(operation, phase), channel, phase);
  }
}

function channelOf(operation: ResolvedOperation, { channel, transfer }: FabricProperties): string {
  const native = readNative(operation, phase);
  if (operation.type === 'contract_call' && operation.contract.address !== null) {
    return targetOf(operation, operation.contract.address, phase).channel;
  }
  if (operation.type === 'transfer' && transfer !== undefined) {
    return readContractAddress(transfer.contract, phase, '/properties/transfer_contract').channel;
  }
  if (native.channel !== undefined) {
    return readContractAddress(`${native.channel}/x`, phase, '/native/channel').channel;
  }
  return channel;
}

async function checkCall(operation: Call, context: CheckContext): Promise<Checked> {
  const { address } = operation.contract;
  if (address === null) {
    // Only validates the arguments. Creates no plan, because the contract's address is not known yet, and a
    // plan without an address could be executed on another contract.
    readCall(operation, { channel: 'undeployed', chaincode: 'undeployed' }, context.metadata, phase);
    return { plan: {}, recipients: [], readiness: 'ready', cost: 0n };
  }
  const contract = targetOf(operation, address, phase);
  const plan = readCall(operation, contract, context.metadata, phase);
  await requireThere(plan, operation, context);
  return checked(plan, operation, []);
}

async function checkTransfer(
  operation: Transfer,
  wallet: WalletIdentity,
  context: CheckContext,
): Promise<Checked> {
  const { plan, recipient } = readTransfer(operation, wallet, context.properties, phase);
  await requireThere(plan, operation, context);
  const own = [wallet.address, ...(wallet.aliases ?? [])].includes(recipient);
  return checked(plan, operation, own ? [] : [recipient]);
}

/** Checks that the chaincode and the endorsing organizations exist. */
async function requireThere(
  { channel, chaincode }: CallPlan,
  operation: ResolvedOperation,
  { definitions, msps, now }: CheckContext,
): Promise<void> {
  if (isSystemChaincode(chaincode)) {
    // Everybody who may read an action also sees its stored result. Results of system chaincode may contain
    // all data of a channel, so they must not be stored.
    throw unsupported(
      phase,
      `${chaincode} is a system chaincode, which does not accept transactions. Emulate the call instead.`,
    );
  }
  const { endorsingOrganizations = [] } = readNative(operation, phase);
  if (endorsingOrganizations.length > 0) {
    await msps.requireMembers(channel, endorsingOrganizations, phase, now());
  }
  await definitions.requireCommitted(channel, chaincode, phase);
}

function checked(plan: CallPlan, operation: ResolvedOperation, recipients: string[]): Checked {
  const secret = readTransient(readNative(operation, phase).transient);
  const whole = secret === undefined ? plan : { ...plan, transient: true };
  return {
    plan: planToJson(whole),
    ...(secret === undefined ? {} : { secret }),
    recipients,
    readiness: 'ready',
    cost: 0n,
  };
}

/** Returns the target of a call: the contract's address, overridden by meta. */
export function targetOf(operation: Call, address: string, where: Phase): ContractAddress {
  const { channel, chaincode, contract } = readNative(operation, where);
  const known = readContractAddress(address, where, '/contract_instance/resource');
  const target = { channel: channel ?? known.channel, chaincode: chaincode ?? known.chaincode };
  const name = contract ?? known.contract;
  const text = [target.channel, target.chaincode, ...(name === undefined ? [] : [name])].join('/');
  return text === address ? known : readContractAddress(text, where, '/native');
}

/** Converts a call to a plan. @throws AdapterError `invalid-argument`, `unknown-method`, `unsupported-operation` */
export function readCall(
  operation: Call,
  contract: ContractAddress,
  cache: MetadataCache,
  where: Phase,
): CallPlan {
  const { method, value, data } = operation;
  if (value > 0n) throw unsupported(where, 'Fabric has no native currency, so a call cannot send a value.');
  if (data !== undefined || method === undefined) {
    throw unsupported(where, 'Fabric has no raw call data. Name a method and its arguments.');
  }
  const native = readNative(operation, where);
  const text = operation.contract.interface;
  const base: CallPlan = {
    step: 'call',
    channel: contract.channel,
    chaincode: contract.chaincode,
    // If the function name includes a contract, the address need not contain one.
    contract: method.name.includes(':') ? undefined : contract.contract,
    method: method.name,
    args: [],
    endorsingOrganizations: readOrganizations(native, where),
  };
  if (method.name === '') throw invalid(where, '/method_name', 'must not be empty');
  const isPlain = text === undefined || method.name.startsWith('org.hyperledger.fabric:');
  if (isPlain) return { ...base, args: readPlainArguments(method.args, where) };
  const metadata = cache.parse(text, where, '/contract_instance/interface');
  const selected = selectFunction(metadata, base.contract, method.name, where);
  return {
    ...base,
    // The chaincode receives the contract name only if the function name or the address contains it.
    contract: selected.contract ?? base.contract,
    method: selected.transaction.name,
    args: readArguments(selected.transaction, metadata.schemas, method.args, where),
  };
}

const accountForms = { address: '<mspId>/<common name>', x509: 'an x509:: id' } as const;

/** Converts a transfer to a call to the ledger's token chaincode. @throws AdapterError `unsupported-operation` */
export function readTransfer(
  operation: Transfer,
  wallet: WalletIdentity | undefined,
  { transfer }: FabricProperties,
  where: Phase,
): { plan: CallPlan; recipient: string } {
  if (transfer === undefined) {
    const detail =
      'Fabric has no native currency, and the ledger names no token chaincode. Set the ledger property transfer_contract.';
    throw unsupported(where, detail);
  }
  if (operation.data !== undefined) throw unsupported(where, 'A token chaincode does not accept raw data.');
  const native = readNative(operation, where);
  const { channel, chaincode, contract } = readContractAddress(
    transfer.contract,
    where,
    '/properties/transfer_contract',
  );
  const given = requireAddress(operation.recipient, where, '/recipient/resource');
  const names = [given, ...(operation.recipientAliases ?? [])];
  if (given === wallet?.address) names.push(...(wallet.aliases ?? []));
  const form = transfer.recipient;
  const recipient = names.find((name) => name.startsWith('x509::') === (form === 'x509'));
  if (recipient === undefined) {
    const detail = `must be ${accountForms[form]}, because the token chaincode identifies accounts in this form (ledger property transfer_recipient: ${form})`;
    throw adapterError('unsupported-operation', `The recipient ${detail}.`, {
      phase: where,
      issues: [{ pointer: '/recipient/resource', detail }],
    });
  }
  const plan: CallPlan = {
    step: 'call',
    channel,
    chaincode,
    contract,
    method: transfer.method,
    args: [recipient, operation.amount.toString()],
    endorsingOrganizations: readOrganizations(native, where),
  };
  return { plan, recipient: given };
}

function readOrganizations({ endorsingOrganizations }: FabricContent, where: Phase): string[] | undefined {
  if (endorsingOrganizations === undefined || endorsingOrganizations.length === 0) return undefined;
  const wrong = endorsingOrganizations.findIndex((one) => !/^[A-Za-z0-9._-]{1,128}$/.test(one));
  if (wrong !== -1) {
    throw invalid(where, `/native/endorsing_organizations/${wrong}`, 'must be the MSP id of an organization');
  }
  return [...new Set(endorsingOrganizations)];
}

function unsupported(where: Phase, detail: string) {
  return adapterError('unsupported-operation', detail, { phase: where });
}
