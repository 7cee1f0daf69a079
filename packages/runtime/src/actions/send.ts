import type { Checked } from '@ledger-ops/adapter';
import type { Auth, Principal } from '@ledger-ops/auth';
import { invalidRequest, Problem } from '@ledger-ops/base';
import { operationKey, withoutSecrets } from '@ledger-ops/glo-core';
import { type Store, uuidv7 } from '@ledger-ops/store';
import { problemFrom } from '../adapter-problem.ts';
import type { Engine, OpenChain } from '../engine/engine.ts';
import type { Acceptance } from '../engine/signing/accept.ts';
import { unresolvedParts } from '../engine/signing/unresolved-operation.ts';
import type { Vault } from '../keys/types.ts';
import type { Ledgers, OpenLedger } from '../open-ledger.ts';
import { technologyOf } from '../plugins/technology-of.ts';
import type { RegistryPort } from '../registry-port.ts';
import { chainIdOf, shardOf } from '../rows/chains/chain-key.ts';
import { coSignerParty } from '../rows/co-signers.ts';
import type { NewAction } from '../rows/model.ts';
import type { Traced } from '../traces/trace-context.ts';
import type { Traces } from '../traces/traces.ts';
import type { Renewals } from '../wallets/renewals.ts';
import type { WalletRow, Wallets } from '../wallets/types.ts';
import { walletIdentity } from '../wallets/wallet-rows.ts';
import { namedIn } from './action-ids.ts';
import { toldWhatOpens } from './opening.ts';
import { demandOthers, namedWallets, unlockOthers } from './other-wallets.ts';
import { adapterPointer } from './pointers.ts';
import { readableAmong } from './readable.ts';
import { notFoundAt, type Resolver, type Together } from './resolve.ts';
import type { AcceptedAction, Actions, SendRequest } from './types.ts';

const dayMilliseconds = 86_400_000;
const defaultDeadline = dayMilliseconds;
const maxDeadline = 7 * dayMilliseconds;
/** How long the offset to the database's clock is believed. */
const clockAge = 60_000;

export interface SenderOptions {
  store: Store;
  auth: Auth;
  registry: Pick<RegistryPort, 'contract'>;
  ledgers: Ledgers;
  vault: Vault;
  wallets: Wallets;
  renewals: Pick<Renewals, 'consider'>;
  resolver: Resolver;
  engine: Engine;
  now: () => number;
}

/** An operation that may be accepted, and is not stored yet. */
export interface Admitted {
  readonly accepted: AcceptedAction;
  readonly chain: OpenChain;
  /** To be stored, or its key to be destroyed. */
  readonly acceptance: Acceptance;
}

/** Checks everything that is checked before a 201. @throws Problem */
export type Admit = (
  principal: Principal,
  request: SendRequest,
  action: Traced,
  together: Together,
) => Promise<Admitted>;

/** Nothing is stored unless all of it holds. */
export function createAdmission(options: SenderOptions): Admit {
  const { store, auth, registry, ledgers, vault, wallets, renewals, resolver, engine, now } = options;
  let clock: { offset: number; at: number } | undefined;

  /** The database's clock, which deadlines go by. */
  async function databaseNow(): Promise<number> {
    if (clock === undefined || now() - clock.at > clockAge)
      clock = { offset: (await store.now()) - now(), at: now() };
    return now() + clock.offset;
  }

  async function readDeadline(request: SendRequest): Promise<number> {
    const at = await databaseNow();
    if (request.deadline === undefined) return at + defaultDeadline;
    const deadline = Date.parse(request.deadline);
    const pointer = request.pointers.deadline;
    if (Number.isNaN(deadline)) throw invalidRequest([{ pointer, detail: 'must be an RFC 3339 time' }]);
    if (deadline <= at) throw invalidRequest([{ pointer, detail: 'lies in the past' }]);
    if (deadline > at + maxDeadline) throw invalidRequest([{ pointer, detail: 'is more than 7 days ahead' }]);
    return deadline;
  }

  async function checkDependencies(
    principal: Principal,
    request: SendRequest,
    knownAs: string,
    together: Together,
  ): Promise<string[]> {
    const named = [...new Set(request.dependencies.flatMap((name) => together.get(name)?.id ?? []))];
    const ids = [...new Set(request.dependencies.filter((id) => !together.has(id)))];
    if (ids.length === 0) return named;
    const own = await store.read.all<{ id: string; given_id: string | null; wallet_uid: string }>(
      `SELECT id, given_id, wallet_uid FROM action
        WHERE ${namedIn(store.dialect, '$1')} AND project_id = $2`,
      [JSON.stringify(ids), principal.projectUid],
    );
    const readable = await readableAmong(
      auth,
      principal,
      own.map(({ wallet_uid }) => wallet_uid),
    );
    const visible = new Map(
      own
        .filter(({ wallet_uid }) => readable.has(wallet_uid))
        .flatMap(({ id, given_id }) => [[id, id] as const, [given_id ?? id, id] as const]),
    );
    const errors = request.dependencies.flatMap((id, index) => {
      const pointer = `${request.pointers.dependencies}/${index}`;
      if (id === knownAs) return [{ pointer, detail: 'is the action itself' }];
      if (together.has(id) || visible.has(id)) return [];
      const orOperation = together.size === 0 ? '' : ', and no operation beside it has this name';
      return [{ pointer, detail: `there is no action ${id} that you may see${orOperation}` }];
    });
    if (errors.length > 0) {
      const detail = errors.map((issue) => `${issue.pointer}: ${issue.detail}`).join('; ');
      throw new Problem('unknown-dependency', detail, { errors });
    }
    return [...named, ...ids.map((id) => visible.get(id) ?? id)];
  }

  /** The wallet, its ledger as it is open, and the ledger's chain. */
  async function openFor(principal: Principal, request: SendRequest) {
    const wallet = await demandWallet(principal, request);
    const open = await ledgers.open(wallet.ledgerUid, {
      projectUid: wallet.projectId,
      ...(request.pluginId === undefined ? {} : { pluginId: request.pluginId }),
    });
    if (!open.record.active) {
      const detail = `The ledger ${open.record.ledgerId} is not active: it takes no new operations.`;
      throw new Problem('conflict', detail);
    }
    if (wallet.keyType !== open.definition.keyType) throw otherKeys(wallet, open);
    const chain = await engine.open(open).catch(async (error: unknown) => {
      throw await toldWhatOpens(error, auth, principal, wallet.ledgerUid);
    });
    return { wallet, open, chain };
  }

  async function demandWallet(principal: Principal, request: SendRequest): Promise<WalletRow> {
    const { walletId, ledgerId, pointers } = request;
    const demanding = wallets.demand(principal, 'wallet:transact', walletId);
    const wallet = await demanding.catch((error: unknown) => {
      throw notFoundAt(error, pointers.walletId, `There is no wallet ${walletId} that you may see.`);
    });
    if (ledgerId === undefined || ledgerId === wallet.ledgerId) return wallet;
    const pointer = pointers.ledgerId;
    const detail = `is not ${wallet.ledgerId}, the ledger of the wallet ${wallet.walletId}`;
    throw new Problem('wrong-ledger', `${pointer}: ${detail}.`, { errors: [{ pointer, detail }] });
  }

  /** An id that the contract is to have must be free; another deployment may be about to take it. */
  async function checkRegistration({ projectUid }: Principal, { registration, pointers }: SendRequest) {
    const contractId = registration?.contractId ?? null;
    if (contractId === null) return;
    const pending = await store.read.all(
      `SELECT action.id FROM deployment JOIN action ON action.id = deployment.action_id
        WHERE deployment.project_id = $1 AND deployment.contract_id = $2 AND action.status = 'PENDING'`,
      [projectUid, contractId],
    );
    if (pending.length === 0 && (await registry.contract(projectUid, contractId)) === null) return;
    throw new Problem('already-exists', `A contract with the id ${contractId} exists or is being deployed.`, {
      errors: [{ pointer: pointers.contractId ?? '', detail: 'exists already' }],
    });
  }

  async function checkOperation(
    principal: Principal,
    request: SendRequest,
    open: OpenLedger,
    chain: string,
    sender: WalletRow,
    others: readonly WalletRow[],
    together: Together,
  ) {
    const pointer = request.pointers.glo;
    const named = namedWallets(open.session, request, sender, others);
    const { effective, operation, deployedBy } = await resolver.resolve({
      principal,
      glo: request.glo,
      open,
      chain,
      pointer,
      walletAddress: named.address,
      together,
    });
    named.demandAll();
    if (!open.definition.capabilities.operations.includes(operation.type)) {
      throw new Problem(
        'unsupported-operation',
        `The ledger ${open.record.ledgerId} (${open.record.technology}) has no ${operation.type}.`,
      );
    }
    const checking = open.session.check({
      wallet: walletIdentity(sender),
      operation,
      ...(others.length === 0 ? {} : { others: others.map(walletIdentity) }),
    });
    const checked = await checking.catch(async (error: unknown) => {
      const problem = problemFrom(error, (at) => pointer + adapterPointer(at, open.record.technology));
      throw await toldWhatOpens(problem, auth, principal, open.record.uid);
    });
    if (checked.sequence !== undefined && checked.sequence > Number.MAX_SAFE_INTEGER) {
      const detail = `The nonce ${checked.sequence} was demanded in meta; no account comes so far. Leave it out.`;
      throw new Problem('nonce-conflict', detail);
    }
    if (deployedBy === null) return { effective, checked, deployedBy };
    const technology = technologyOf(open.definition);
    const unresolved = unresolvedParts({ deployedBy, operation }, technology);
    return { effective, checked: { ...checked, ...unresolved }, deployedBy };
  }

  /** Certain lack of funds is refused now; a dependency may still bring the money. */
  async function checkFunds(chain: OpenChain, costs: ReadonlyMap<WalletRow, bigint>) {
    for (const [wallet, cost] of costs) {
      if (cost <= 0n) continue;
      const balance = await chain.balance(wallet.address, cost);
      if (balance >= cost) continue;
      throw new Problem(
        'insufficient-funds',
        `The wallet ${wallet.walletId} (${wallet.address}) holds ${balance}, but this operation can take up to ${cost} in the ledger's smallest unit.`,
        { extensions: { balance: balance.toString(), required: cost.toString() } },
      );
    }
  }

  return async (principal, request, { id: actionId, trace }, together) => {
    const { wallet, open, chain } = await openFor(principal, request);
    const others = await demandOthers(wallets, principal, request, wallet);
    for (const other of others) if (other.keyType !== wallet.keyType) throw otherKeys(other, open);
    const knownAs = request.actionId ?? actionId;
    const demanded = await checkDependencies(principal, request, knownAs, together);
    const deadline = await readDeadline(request);
    await checkRegistration(principal, request);

    const identity = walletIdentity(wallet);
    const checking = checkOperation(principal, request, open, chain.chain, wallet, others, together);
    const { effective, checked, deployedBy } = await checking;
    const dependencies = deployedBy === null ? demanded : [...new Set([...demanded, deployedBy])];
    const own = await vault.unlock(wallet, request.walletPassword, principal);
    renewals.consider(wallet, own, open);
    const key = await unlockOthers(vault, principal, own, request, others);
    if (open.definition.capabilities.balance && dependencies.length === 0) {
      await checkFunds(chain, costsOf(checked, wallet, others)).catch((error: unknown) => {
        key.destroy();
        throw error;
      });
    }

    const { intent } = request;
    const { overrides } = effective;
    const accepted: AcceptedAction = { actionId: knownAs, intent, status: 'PENDING', overrides };
    const acceptance = {
      key,
      wallet: identity,
      plan: checked.plan,
      secret: checked.secret,
      ready: checked.readiness === 'ready',
      action: {
        id: actionId,
        givenId: request.actionId ?? null,
        projectId: principal.projectUid,
        appId: principal.appId,
        caller: principal.serviceId,
        walletUid: wallet.uid,
        walletId: wallet.walletId,
        ledgerUid: wallet.ledgerUid,
        ledgerId: wallet.ledgerId,
        chain: chain.chain,
        plugin: open.pluginUid,
        shard: shardOf(wallet.address),
        address: wallet.address,
        intent: intent?.toLowerCase() ?? '',
        tag: request.tag,
        context: request.context ?? null,
        trace,
        operation: operationKey(withoutSecrets(effective.operation, technologyOf(open.definition))),
        overrides: overrides.length === 0 ? null : JSON.stringify(overrides),
        plan: JSON.stringify(checked.plan),
        cost: checked.cost,
        sequence: checked.sequence === undefined ? null : Number(checked.sequence),
        deadline,
        createdAt: now(),
        dependencies,
        receivers: partiesOf(wallet, others, chain.chain, checked.recipients),
        registration: registrationOf(request, knownAs),
        claim: null,
      },
    };
    return { accepted, chain, acceptance };
  };
}

/** Accepts one operation. */
export function createSender(admit: Admit, traces: Traces): Actions['send'] {
  return (principal, request, claim) =>
    traces.accepting(uuidv7(), async (action) => {
      const { accepted, chain, acceptance } = await admit(principal, request, action, new Map());
      const answer = claim === undefined ? null : { claim, status: 201, body: answerBody(accepted) };
      await chain.accept({ ...acceptance, action: { ...acceptance.action, claim: answer } });
      return accepted;
    });
}

/** The most that each wallet pays. @throws Problem `plugin-fault` when somebody else is to pay */
function costsOf(
  { cost, costs = [] }: Pick<Checked, 'cost' | 'costs'>,
  sender: WalletRow,
  others: readonly WalletRow[],
): Map<WalletRow, bigint> {
  const all = new Map([[sender, cost]]);
  for (const { address, amount } of costs) {
    const payer = others.find((other) => other.address === address);
    if (payer === undefined) {
      const detail = 'The ledger plugin lets a wallet pay that the operation does not name.';
      throw new Problem('plugin-fault', detail);
    }
    all.set(payer, (all.get(payer) ?? 0n) + amount);
  }
  return all;
}

/** Accounts that receive, without the sender's own, and wallets that sign too. */
function partiesOf(
  { address }: WalletRow,
  coSigners: readonly WalletRow[],
  chain: string,
  recipients: readonly string[],
): string[] {
  const others = new Set(recipients.filter((recipient) => recipient !== address));
  return [
    ...[...others].map((recipient) => receiverParty(chainIdOf(chain), recipient)),
    ...coSigners.map((one) => coSignerParty(one.uid, others.has(one.address))),
  ];
}

function registrationOf({ registration }: SendRequest, actionId: string): NewAction['registration'] {
  if (registration === undefined) return null;
  return { contractId: registration.contractId ?? actionId, name: registration.name };
}

/** The ledger's plugin is another than the one that the wallet was made with. */
function otherKeys({ walletId, keyType }: WalletRow, { definition, record }: OpenLedger): Problem {
  return new Problem(
    'unsupported-operation',
    `The wallet ${walletId} has a key of type ${keyType}, but the plugin ${definition.name}, which serves the ledger ${record.ledgerId}, signs with ${definition.keyType}. Name the plugin that the wallet was made with, or make a wallet with this one.`,
  );
}

/** An account that receives, as lists of actions name it as a party. */
export function receiverParty(chainId: string, address: string): string {
  return `a:${chainId}:${address}`;
}

/** The creation response, as it is answered and as an Idempotency-Key answers it again. */
function answerBody({ actionId, intent, status, overrides }: AcceptedAction): string {
  return JSON.stringify({
    actionId,
    id: actionId,
    intent,
    status,
    ...(overrides.length > 0 ? { overrides } : {}),
  });
}
