import type { Checked, JsonObject } from '@ledger-ops/adapter';
import type { Auth, Principal } from '@ledger-ops/auth';
import { amountText, invalidRequest, Problem, parseInstant } from '@ledger-ops/base';
import { type Override, operationKey, withoutSecrets } from '@ledger-ops/glo-core';
import { type IdempotencyClaim, requestKeyOf, type Store, uuidv7 } from '@ledger-ops/store';
import { problemFrom } from '../adapter-problem.ts';
import type { Engine } from '../engine/engine.ts';
import type { Acceptance } from '../engine/signing/accept.ts';
import { unresolvedParts } from '../engine/signing/unresolved-operation.ts';
import type { Tracker } from '../engine/tracking/tracker.ts';
import { keyTypeColumn } from '../keys/plugin-key.ts';
import type { ActionSigner } from '../keys/signer.ts';
import type { Vault } from '../keys/vault.ts';
import type { Ledgers } from '../ledgers.ts';
import type { OpenLedger } from '../open-ledger.ts';
import { technologyOf } from '../plugins/technology-of.ts';
import type { RegistryPort } from '../registry-port.ts';
import { chainIdOf, shardOf } from '../rows/chains/chain-key.ts';
import { coSignerParty } from '../rows/co-signers.ts';
import type { NewAction, RequestPlace } from '../rows/model.ts';
import type { Traced } from '../traces/trace-context.ts';
import type { Traces } from '../traces/traces.ts';
import type { Renewals } from '../wallets/renewals.ts';
import type { WalletRow } from '../wallets/types.ts';
import { walletIdentity } from '../wallets/wallet-rows.ts';
import type { Wallets } from '../wallets/wallets.ts';
import { namedIn } from './action-ids.ts';
import { demandOthers, namedWallets, unlockOthers } from './other-wallets.ts';
import { withOutboundSetting } from './outbound-setting.ts';
import { adapterPointer } from './pointers.ts';
import { readableAmong } from './readable.ts';
import { type BatchOperations, notFoundAt, type Resolver } from './resolve.ts';
import type { AcceptedAction, SendRequest } from './types.ts';

const dayMs = 86_400_000;
const defaultDeadlineMs = dayMs;
const maxDeadlineMs = 7 * dayMs;
/** Time in milliseconds for which a measured clock offset is used. */
const clockAgeMs = 60_000;
const noBatch: BatchOperations = new Map();

export interface SenderOptions {
  store: Store;
  auth: Auth;
  registry: Pick<RegistryPort, 'contract'>;
  ledgers: Pick<Ledgers, 'open'>;
  vault: Pick<Vault, 'unlock'>;
  wallets: Pick<Wallets, 'demand'>;
  renewals: Pick<Renewals, 'consider'>;
  resolver: Pick<Resolver, 'resolve'>;
  engine: Pick<Engine, 'track' | 'balance' | 'accept' | 'actionBytes'>;
  traces: Traces;
  now: () => number;
}

/** An operation that passed all checks and is not stored yet. */
export interface Admitted {
  readonly accepted: AcceptedAction;
  /** Tracker of the wallet's ledger. */
  readonly tracker: Tracker;
  /** Must be stored, or its signer must be destroyed. */
  readonly acceptance: Acceptance;
}

/** The wallets of an operation and the ledger that they are on. */
interface Parties {
  readonly sender: WalletRow;
  /** Other wallets that sign the operation or pay for it. */
  readonly others: readonly WalletRow[];
  readonly ledger: OpenLedger;
  readonly tracker: Tracker;
}

/** An operation that its ledger's adapter accepted. */
interface CheckedOperation {
  readonly checked: Checked;
  readonly overrides: Override[];
  readonly dependencies: string[];
  readonly stored: Pick<NewAction, 'operation' | 'overrides' | 'plan' | 'privateBytes'>;
}

/**
 * Accepts operations: resolves the wallet, checks the operation, unlocks the wallet and hands the action to the engine.
 *
 * Keeps the offset between this server's clock and the database's clock. It is measured again after `clockAgeMs`.
 */
export class Sender {
  readonly #options: SenderOptions;
  #clock: { offset: number; at: number } | undefined;

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  /**
   * Accepts an operation. Once the promise resolves, the operation survives crashes and is executed exactly
   * once.
   * @throws Problem
   */
  async send(principal: Principal, request: SendRequest, claim?: IdempotencyClaim): Promise<AcceptedAction> {
    const { engine, traces } = this.#options;
    return traces.accepting(uuidv7(), async (identity) => {
      const { accepted, tracker, acceptance } = await this.admit(principal, request, identity, noBatch);
      const answer =
        claim === undefined ? null : { claim, status: 201, body: JSON.stringify(answerBody(accepted)) };
      const action = { ...acceptance.action, claim: answer, request: requestPlace(claim, 0) };
      await engine.accept(tracker, { ...acceptance, action });
      return accepted;
    });
  }

  /** Runs all checks that precede a 201 response; stores nothing. @throws Problem */
  async admit(
    principal: Principal,
    request: SendRequest,
    { id, trace }: Traced,
    batch: BatchOperations,
  ): Promise<Admitted> {
    const actionId = request.actionId ?? id;
    const parties = await this.#resolveWallets(principal, request);
    const demanded = await this.#checkDependencies(principal, request, actionId, batch);
    const deadline = await this.#readDeadline(request);
    await this.#checkRegistration(principal, request);
    const operation = await this.#checkOperation(principal, request, parties, batch, demanded);
    const signer = await this.#unlock(principal, request, parties, operation);

    const { sender, others, ledger, tracker } = parties;
    const { checked, overrides, dependencies, stored } = operation;
    const { intent } = request;
    const acceptance: Acceptance = {
      signer,
      wallet: walletIdentity(sender),
      plan: checked.plan,
      secret: checked.secret,
      ready: checked.readiness === 'ready',
      action: {
        id,
        givenId: request.actionId ?? null,
        organizationUid: principal.organizationUid,
        projectId: principal.projectUid,
        appId: principal.appId,
        caller: principal.serviceId,
        walletUid: sender.uid,
        walletId: sender.walletId,
        ledgerUid: sender.ledgerUid,
        ledgerId: sender.ledgerId,
        chain: tracker.chain,
        plugin: ledger.pluginUid,
        shard: shardOf(sender.address),
        address: sender.address,
        intent: intent?.toLowerCase() ?? '',
        tag: request.tag,
        context: request.context ?? null,
        trace,
        ...stored,
        cost: checked.cost,
        sequence: checked.sequence === undefined ? null : Number(checked.sequence),
        deadline,
        createdAt: this.#options.now(),
        dependencies,
        receivers: partiesOf(sender, others, tracker.chain, checked.recipients),
        registration: registrationOf(request, actionId),
        claim: null,
        request: null,
      },
    };
    return { accepted: { actionId, intent, status: 'PENDING', overrides }, tracker, acceptance };
  }

  /** Returns the wallets of the request and their ledger. Opens the ledger and makes the engine follow it. */
  async #resolveWallets(principal: Principal, request: SendRequest): Promise<Parties> {
    const { ledgers, engine, wallets, auth } = this.#options;
    const sender = await this.#demandWallet(principal, request);
    const ledger = await ledgers.open(sender.ledgerUid, {
      projectUid: sender.projectId,
      ...(request.pluginId === undefined ? {} : { pluginId: request.pluginId }),
    });
    if (!ledger.record.active) {
      const detail = `The ledger ${ledger.record.ledgerId} is not active, so it accepts no new operations.`;
      throw new Problem('conflict', detail);
    }
    if (sender.keyType !== ledger.definition.keyType) throw otherKeys(sender, ledger);
    const tracker = await engine.track(ledger).catch(async (error: unknown) => {
      throw await withOutboundSetting(error, auth, principal, sender.ledgerUid);
    });
    const others = await demandOthers(wallets, principal, request, sender);
    for (const other of others) if (other.keyType !== sender.keyType) throw otherKeys(other, ledger);
    return { sender, others, ledger, tracker };
  }

  async #demandWallet(principal: Principal, request: SendRequest): Promise<WalletRow> {
    const { walletId, ledgerId, pointers } = request;
    const demanding = this.#options.wallets.demand(principal, 'wallet:transact', walletId);
    const wallet = await demanding.catch((error: unknown) => {
      throw notFoundAt(
        error,
        pointers.walletId,
        `The wallet ${walletId} does not exist or is not visible to you.`,
      );
    });
    if (ledgerId === undefined || ledgerId === wallet.ledgerId) return wallet;
    const pointer = pointers.ledgerId;
    const detail = `must be ${wallet.ledgerId}, the ledger of the wallet ${wallet.walletId}`;
    throw new Problem('wrong-ledger', `${pointer}: ${detail}.`, { errors: [{ pointer, detail }] });
  }

  /**
   * Returns the ids of the actions that the request depends on. The caller must be allowed to read each of
   * them.
   */
  async #checkDependencies(
    principal: Principal,
    request: SendRequest,
    actionId: string,
    batch: BatchOperations,
  ): Promise<string[]> {
    const { store, auth } = this.#options;
    const named = [...new Set(request.dependencies.flatMap((name) => batch.get(name)?.id ?? []))];
    const ids = [...new Set(request.dependencies.filter((id) => !batch.has(id)))];
    if (ids.length === 0) return named;
    const ofProject = await store.read.all<{ id: string; given_id: string | null; wallet_uid: string }>(
      `SELECT id, given_id, wallet_uid FROM action
        WHERE ${namedIn(store.dialect, '$1')} AND project_id = $2`,
      [JSON.stringify(ids), principal.projectUid],
    );
    const readable = await readableAmong(
      auth,
      principal,
      ofProject.map(({ wallet_uid }) => wallet_uid),
    );
    const visible = new Map(
      ofProject
        .filter(({ wallet_uid }) => readable.has(wallet_uid))
        .flatMap(({ id, given_id }) => [[id, id] as const, [given_id ?? id, id] as const]),
    );
    const errors = request.dependencies.flatMap((id, index) => {
      const pointer = `${request.pointers.dependencies}/${index}`;
      if (id === actionId) return [{ pointer, detail: 'must not be the action itself' }];
      if (batch.has(id) || visible.has(id)) return [];
      const orOperation = batch.size === 0 ? '' : ', and no operation of the batch has this name';
      return [{ pointer, detail: `the action ${id} does not exist or is not visible to you${orOperation}` }];
    });
    if (errors.length > 0) {
      const detail = errors.map((issue) => `${issue.pointer}: ${issue.detail}`).join('; ');
      throw new Problem('unknown-dependency', detail, { errors });
    }
    return [...named, ...ids.map((id) => visible.get(id) ?? id)];
  }

  async #readDeadline(request: SendRequest): Promise<number> {
    const at = await this.#databaseNow();
    if (request.deadline === undefined) return at + defaultDeadlineMs;
    const deadline = parseInstant(request.deadline);
    const pointer = request.pointers.deadline;
    if (deadline === undefined) throw invalidRequest([{ pointer, detail: 'must be an RFC 3339 time' }]);
    if (deadline <= at) throw invalidRequest([{ pointer, detail: 'must be in the future' }]);
    if (deadline > at + maxDeadlineMs)
      throw invalidRequest([{ pointer, detail: 'must be within the next 7 days' }]);
    return deadline;
  }

  /** Returns the time of the database's clock, on which deadlines are based. */
  async #databaseNow(): Promise<number> {
    const { store, now } = this.#options;
    if (this.#clock === undefined || now() - this.#clock.at > clockAgeMs)
      this.#clock = { offset: (await store.now()) - now(), at: now() };
    return now() + this.#clock.offset;
  }

  /** Checks that no contract has the requested id and that no pending deployment reserves it. */
  async #checkRegistration({ projectUid }: Principal, { registration, pointers }: SendRequest) {
    const { store, registry } = this.#options;
    const contractId = registration?.contractId ?? null;
    if (contractId === null) return;
    const pending = await store.read.all(
      `SELECT action.id FROM deployment JOIN action ON action.id = deployment.action_id
        WHERE deployment.project_id = $1 AND deployment.contract_id = $2 AND action.status = 'PENDING'`,
      [projectUid, contractId],
    );
    if (pending.length === 0 && (await registry.contract(projectUid, contractId)) === null) return;
    throw new Problem(
      'already-exists',
      `A contract with the id ${contractId} already exists or is being deployed.`,
      {
        errors: [{ pointer: pointers.contractId ?? '', detail: 'already exists' }],
      },
    );
  }

  /** Resolves the operation and lets the ledger's adapter check it. */
  async #checkOperation(
    principal: Principal,
    request: SendRequest,
    { sender, others, ledger, tracker }: Parties,
    batch: BatchOperations,
    demanded: string[],
  ): Promise<CheckedOperation> {
    const { auth, engine, resolver } = this.#options;
    const { record, definition, session } = ledger;
    const pointer = request.pointers.glo;
    const named = namedWallets(session, request, sender, others);
    const { effective, operation, deployedBy } = await resolver.resolve({
      principal,
      glo: request.glo,
      open: ledger,
      chain: tracker.chain,
      pointer,
      walletAddress: named.address,
      batch,
    });
    named.demandAll();
    if (!definition.capabilities.operations.includes(operation.type)) {
      const detail = `The ledger ${record.ledgerId} (${record.technology}) does not support the operation ${operation.type}.`;
      throw new Problem('unsupported-operation', detail);
    }
    const checking = session.check({
      wallet: walletIdentity(sender),
      operation,
      ...(others.length === 0 ? {} : { others: others.map(walletIdentity) }),
    });
    const answer = await checking.catch(async (error: unknown) => {
      const problem = problemFrom(error, (at) => pointer + adapterPointer(at, record.technology));
      throw await withOutboundSetting(problem, auth, principal, record.uid);
    });
    if (answer.sequence !== undefined && answer.sequence > Number.MAX_SAFE_INTEGER) {
      const detail = `meta requires the nonce ${answer.sequence}, which no account can reach. Leave the nonce out.`;
      throw new Problem('nonce-conflict', detail);
    }
    const technology = technologyOf(definition);
    const unresolved = deployedBy === null ? {} : unresolvedParts({ deployedBy, operation }, technology);
    const checked: Checked & { secret?: JsonObject | undefined } = { ...answer, ...unresolved };
    const { overrides } = effective;
    const stored = {
      operation: operationKey(withoutSecrets(effective.operation, technology)),
      overrides: overrides.length === 0 ? null : JSON.stringify(overrides),
      plan: JSON.stringify(checked.plan),
      privateBytes: checked.secret === undefined ? 0 : Buffer.byteLength(JSON.stringify(checked.secret)),
    };
    const context = request.context ?? null;
    await engine.actionBytes.demand(principal.organizationUid, { ...stored, context });
    const dependencies = deployedBy === null ? demanded : [...new Set([...demanded, deployedBy])];
    return { checked, overrides, dependencies, stored };
  }

  /** Checks the passwords and the funds of all wallets of the request. Returns a signer for all of them. */
  async #unlock(
    principal: Principal,
    request: SendRequest,
    { sender, others, ledger, tracker }: Parties,
    { checked, dependencies }: CheckedOperation,
  ): Promise<ActionSigner> {
    const { vault, renewals } = this.#options;
    const key = await vault.unlock(sender, request.walletPassword, principal);
    renewals.consider(sender, key, ledger);
    const signer = await unlockOthers(vault, principal, key, request, others);
    // If the operation has dependencies, funds are not checked, because a dependency may transfer funds to
    // the wallet.
    if (!ledger.definition.capabilities.balance || dependencies.length > 0) return signer;
    try {
      const unit = ledger.definition.description?.unit ?? null;
      await this.#checkFunds(tracker, costsOf(checked, sender, others), unit);
      return signer;
    } catch (error) {
      signer.destroy();
      throw error;
    }
  }

  /** Rejects an operation if a wallet certainly cannot pay its share. */
  async #checkFunds(
    tracker: Tracker,
    costs: ReadonlyMap<WalletRow, bigint>,
    unit: Parameters<typeof amountText>[1],
  ): Promise<void> {
    const text = (amount: bigint) => amountText(amount.toString(), unit);
    for (const [wallet, cost] of costs) {
      if (cost <= 0n) continue;
      const balance = await this.#options.engine.balance(tracker, wallet.address, cost);
      if (balance >= cost) continue;
      throw new Problem(
        'insufficient-funds',
        `The wallet ${wallet.walletId} (${wallet.address}) holds ${text(balance)}, but this operation can cost up to ${text(cost)}, with its fee. Fund the wallet or send less.`,
        { extensions: { balance: balance.toString(), required: cost.toString(), unit } },
      );
    }
  }
}

/**
 * Returns the maximum cost for each wallet.
 * @throws Problem `plugin-fault` if the adapter charges a wallet that the operation does not name
 */
function costsOf(
  { cost, costs = [] }: Pick<Checked, 'cost' | 'costs'>,
  sender: WalletRow,
  others: readonly WalletRow[],
): Map<WalletRow, bigint> {
  const all = new Map([[sender, cost]]);
  for (const { address, amount } of costs) {
    const payer = others.find((other) => other.address === address);
    if (payer === undefined) {
      const detail = 'The ledger plugin charges a wallet that the operation does not name.';
      throw new Problem('plugin-fault', detail);
    }
    all.set(payer, (all.get(payer) ?? 0n) + amount);
  }
  return all;
}

/**
 * Returns the parties of the action: the receiving accounts, except that of the sending wallet, and the wallets that
 * co-sign.
 */
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

/** Returns the problem if a wallet's key type differs from the key type of the ledger's plugin. */
function otherKeys({ walletId, keyType }: WalletRow, { definition, record }: OpenLedger): Problem {
  return new Problem(
    'unsupported-operation',
    `The wallet ${walletId} has a key of type ${keyTypeColumn(keyType)}, but the plugin ${definition.name}, which serves the ledger ${record.ledgerId}, signs with ${keyTypeColumn(definition.keyType)}. Select the plugin that the wallet was created with, or create a wallet with this plugin.`,
  );
}

/** Returns the name under which lists of actions store a receiving account as a party. */
export function receiverParty(chainId: string, address: string): string {
  return `a:${chainId}:${address}`;
}

/**
 * Returns the position of an action in its request: 0 for a single operation, and counting from 1 in a batch. Null if
 * the request has no idempotency key.
 */
export function requestPlace(claim: IdempotencyClaim | undefined, position: number): RequestPlace | null {
  if (claim === undefined) return null;
  return { key: requestKeyOf(claim), fingerprint: claim.fingerprint, position };
}

/**
 * Returns the body of the response. It is stored, so that a repeated request with the same Idempotency-Key
 * gets the same response.
 */
export function answerBody({ actionId, intent, status, overrides }: AcceptedAction): object {
  return { actionId, id: actionId, intent, status, ...(overrides.length > 0 ? { overrides } : {}) };
}
