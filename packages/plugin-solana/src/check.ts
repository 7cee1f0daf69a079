import {
  adapterError,
  type Checked,
  type CheckRequest,
  type ResolvedOperation,
  type WalletIdentity,
} from '@ledger-ops/adapter';
import { planDeployment } from './deployment/deployment.ts';
import { instructionsOf } from './idl/call.ts';
import { parseIdl } from './idl/idl.ts';
import { errorsOf } from './idl/program-errors.ts';
import { invalid } from './invalid.ts';
import { type AccountJson, readNative, type SolanaContent } from './native.ts';
import { budgeted, budgetOf, costOf, costsOf, type Plan, planToJson, signersOf } from './plan.ts';
import { requireAddress } from './transactions/address.ts';
import { mostComputeUnits } from './transactions/compute-budget.ts';
import { anyLifetime, compileMessage, requireSize } from './transactions/message.ts';
import { withRoles } from './transactions/origin.ts';
import { referenceOf } from './transactions/reference.ts';
import { systemProgram, transferInstruction } from './transactions/system.ts';

type Call = Extract<ResolvedOperation, { type: 'contract_call' }>;
type Transfer = Extract<ResolvedOperation, { type: 'transfer' }>;

type CheckPhase = 'check' | 'emulate';

/**
 * Checks an operation and makes its plan without querying the ledger. The estimate finds out later whether it
 * can be executed.
 * @throws AdapterError as documented at `LedgerSession.check`. Pointers into meta are `/native/<field>`
 */
export async function checkOperation({ wallet, others = [], operation }: CheckRequest): Promise<Checked> {
  if (operation.type === 'contract_deploy') {
    const planned = planDeployment(operation, readNative(operation, 'check'), 'check');
    return { ...planned, recipients: [], readiness: 'ready' };
  }
  requireNamed(readNative(operation, 'check'), [wallet, ...others]);
  const { plan, recipients } = await planOperation(wallet.address, operation, 'check');
  return {
    plan: planToJson(withRoles(plan, wallet.address)),
    recipients,
    readiness: budgetOf(plan) !== undefined ? 'ready' : 'estimate',
    cost: costOf(plan, wallet.address),
    ...costsOf(plan, wallet.address),
  };
}

/** Signers and fee payers must be wallets that the host can sign for. */
function requireNamed({ feePayer, signers = [] }: SolanaContent, wallets: readonly WalletIdentity[]): void {
  const named = [
    ...(feePayer === undefined ? [] : [['/native/feePayer', feePayer] as const]),
    ...signers.map((signer, index) => [`/native/signers/${index}`, signer] as const),
  ];
  for (const [pointer, address] of named) {
    if (wallets.every((wallet) => wallet.address !== address))
      throw invalid('check', pointer, 'is not one of the signing wallets');
  }
}

/** Returns the plan of an operation. @throws AdapterError */
export async function planOperation(
  wallet: string,
  operation: ResolvedOperation,
  phase: CheckPhase,
): Promise<{ plan: Plan; recipients: string[] }> {
  if (operation.type === 'contract_deploy') {
    const detail = 'A deployment on Solana needs several transactions and cannot be emulated.';
    throw adapterError('unsupported-operation', detail, { phase });
  }
  const native = readNative(operation, phase);
  const { computeUnitLimit, computeUnitPrice, nonceAccount } = native;
  const feePayer = native.feePayer === wallet ? undefined : native.feePayer;
  const budget = { computeUnitLimit, computeUnitPrice, nonceAccount, feePayer };
  if (operation.type === 'transfer') {
    const [foreign] = Object.keys(native).filter((name) => !(name in budget));
    if (foreign !== undefined) throw invalid(phase, `/native/${foreign}`, 'is not allowed in a transfer');
    return planTransfer(wallet, operation, budget, phase);
  }
  const { instructions: call, errors } = await readCall(wallet, operation, native, phase);
  // A call to a program that is not deployed yet cannot be prepared.
  const isThere = operation.contract.address !== null;
  const plan = {
    instructions: isThere ? call : [],
    lookupTables: native.addressLookupTables,
    amount: 0n,
    errors,
    ...budget,
  };
  // With lookup tables, computing the size requires querying the ledger.
  if (native.addressLookupTables === undefined) {
    const instructions = budgeted(plan, { units: mostComputeUnits, price: 1n }, referenceOf(''));
    const pointer = native.instructions === undefined ? '/args' : '/native/instructions';
    requireSize(compileMessage(feePayer ?? wallet, instructions, anyLifetime), phase, pointer);
  }
  if (isThere) requireUse(wallet, native, plan, phase);
  return { plan, recipients: [] };
}

function planTransfer(
  wallet: string,
  { recipient, amount, data }: Transfer,
  budget: Pick<Plan, 'computeUnitLimit' | 'computeUnitPrice' | 'nonceAccount' | 'feePayer'>,
  phase: CheckPhase,
): { plan: Plan; recipients: string[] } {
  const to = requireAddress(recipient, phase, '/recipient/resource');
  if (amount < 0n || amount >= 2n ** 64n) {
    throw invalid(phase, '/amount', 'must be lamports, from 0 to 18446744073709551615');
  }
  if (data !== undefined) throw invalid(phase, '/native/data', 'is not allowed in a transfer of SOL');
  return {
    plan: { instructions: [transferInstruction(wallet, to, amount)], amount, ...budget },
    recipients: to === wallet ? [] : [to],
  };
}

async function readCall(
  wallet: string,
  { contract, method, data, value }: Call,
  { instructions, accounts = {}, remainingAccounts = [], feePayer, signers = [] }: SolanaContent,
  phase: CheckPhase,
): Promise<Pick<Plan, 'instructions' | 'errors'>> {
  if (value !== 0n)
    throw invalid(phase, '/native/value', 'is not allowed here; put a transfer into the instructions');
  if (data !== undefined)
    throw invalid(phase, '/native/data', 'is not supported; put it into /native/instructions');
  if (contract.address !== null) requireAddress(contract.address, phase, '/contract_instance/resource');
  const signing = new Set([wallet, ...(feePayer === undefined ? [] : [feePayer]), ...signers]);
  const isNamed = method !== undefined && (method.name !== '' || method.args.length > 0);
  if (instructions !== undefined) {
    // A GLO always names a method. If instructions are given instead, the name is only informative.
    const hasArguments = method !== undefined && method.args.length > 0;
    if (hasArguments || Object.keys(accounts).length > 0 || remainingAccounts.length > 0) {
      const detail = 'contain the whole call; leave out arguments and accounts';
      throw invalid(phase, '/native/instructions', detail);
    }
    for (const [index, given] of instructions.entries()) {
      requireSigners(given.accounts, signing, phase, `/native/instructions/${index}/accounts`);
    }
    return { instructions };
  }
  if (!isNamed) {
    throw invalid(
      phase,
      '/native/instructions',
      'must contain the instructions of the call, unless a method is named',
    );
  }
  if (contract.interface === undefined) {
    const detail = `The program is registered without an interface. Register it with its IDL, or put the instructions in meta instead of naming ${method.name.slice(0, 200)}.`;
    throw adapterError('unknown-method', detail, { phase });
  }
  requireSigners(remainingAccounts, signing, phase, '/native/remainingAccounts');
  const idl = parseIdl(contract.interface, phase);
  const call = await instructionsOf(
    {
      wallet,
      signing,
      // Placeholder for a program that is not deployed yet. The call is checked again later.
      program: contract.address ?? systemProgram,
      idl,
      method,
      named: accounts,
      remaining: remainingAccounts,
    },
    phase,
  );
  const errors = contract.address === null ? undefined : errorsOf(contract.address, idl);
  return { instructions: call, errors };
}

function requireSigners(
  accounts: readonly AccountJson[],
  signing: ReadonlySet<string>,
  phase: CheckPhase,
  pointer: string,
): void {
  const other = accounts.findIndex(({ address, signer }) => signer === true && !signing.has(address));
  if (other >= 0) {
    throw invalid(
      phase,
      `${pointer}/${other}/signer`,
      'must sign, so it must be the sending wallet or a wallet listed in feePayer or signers',
    );
  }
}

/** Rejects signers that the transaction does not need. */
function requireUse(
  wallet: string,
  { feePayer, signers = [] }: SolanaContent,
  plan: Plan,
  phase: CheckPhase,
) {
  const signing = signersOf(plan, wallet);
  const idle = signers.findIndex((signer) => !signing.has(signer));
  if (idle >= 0) throw invalid(phase, `/native/signers/${idle}`, 'does not sign any of the instructions');
  if (feePayer === undefined || signing.has(wallet)) return;
  throw invalid(
    phase,
    '/native/feePayer',
    'would be the only signer; send the operation from the wallet that pays',
  );
}
