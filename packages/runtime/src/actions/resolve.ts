import type { ContractSource, ResolvedOperation } from '@ledger-ops/adapter';
import type { Auth, Principal } from '@ledger-ops/auth';
import { Problem } from '@ledger-ops/base';
import {
  type ContractLocator,
  checkContent,
  type Effective,
  effectiveOperation,
  type Glo,
  GloError,
  type Locator,
  type Operation,
} from '@ledger-ops/glo-core';
import type { ContractRecord } from '@ledger-ops/registry';
import type { OpenLedger } from '../open-ledger.ts';
import { technologyOf } from '../plugins/technology-of.ts';
import type { RegistryPort } from '../registry-port.ts';
import { chainIdOf } from '../rows/chains/chain-key.ts';
import type { WalletRow } from '../wallets/types.ts';
import { walletIdentity } from '../wallets/wallet-rows.ts';
import type { Wallets } from '../wallets/wallets.ts';
import { adapterPointer } from './pointers.ts';
import { readableAmong } from './readable.ts';

/**
 * Prefix of locators that refer to the contract that an action deploys: `action:<actionId>`, in a batch also
 * `action:<name>`.
 */
const actionPrefix = 'action:';

/** What an action that calls a contract needs to know about the action that deploys it. */
export interface Deployment {
  actionId: string;
  walletUid: string;
  ledgerUid: string;
  ledgerId: string;
  status: string;
  contractAddress: string | null;
  /** The deployed template; null if the action does not deploy a template. */
  source: Locator | null;
}

/** Operations of one batch, by the names that the client chose. */
export type BatchOperations = ReadonlyMap<
  string,
  {
    /** Id of the action that the operation becomes. */
    readonly id: string;
    /** Returns null if the operation was rejected. */
    deployment(): Promise<Deployment | null>;
  }
>;

export interface ResolverOptions {
  deployments: (projectUid: string, actionId: string) => Promise<Deployment | null>;
  auth: Auth;
  registry: RegistryPort;
  wallets: Pick<Wallets, 'demand'>;
}

/**
 * Returns the address of the wallet that the operation's ledger-specific content names by id or address.
 * @throws Problem
 */
export type WalletNames = (named: string, pointer: string) => Promise<string>;

export interface ResolveRequest {
  principal: Principal;
  glo: Glo;
  open: OpenLedger;
  chain: string;
  /** JSON Pointer of the GLO in the request. */
  pointer: string;
  walletAddress: WalletNames;
  /** Absent if the operation is not part of a batch. */
  batch?: BatchOperations;
}

export interface Resolved {
  effective: Effective;
  operation: ResolvedOperation;
  /** Id of the pending action that deploys the called contract; null if the contract already has an address. */
  deployedBy: string | null;
}

/** Resolves the service's ids to addresses, interfaces and code on the ledger. */
export class Resolver {
  readonly #options: ResolverOptions;

  constructor(options: ResolverOptions) {
    this.#options = options;
  }

  /** @throws Problem */
  async resolve(request: ResolveRequest): Promise<Resolved> {
    const effective = precedence(request);
    const located = await withAddresses(request, await this.#resolveLocators(request, effective.operation));
    const version = request.glo.meta?.[located.native.technology]?.version;
    const operation =
      version === undefined ? located : { ...located, native: { ...located.native, version } };
    if (effective.operation.type !== 'contract_call') return { effective, operation, deployedBy: null };
    const { contract } = effective.operation;
    const named = deployingAction(contract);
    const inBatch = named === null ? undefined : request.batch?.get(named);
    if (inBatch !== undefined) {
      // Names are valid only within their batch, so the locator is stored with the action's id.
      const byId = { ...contract, resource: actionPrefix + inBatch.id };
      const stored = { ...effective, operation: { ...effective.operation, contract: byId } };
      return { effective: stored, operation, deployedBy: inBatch.id };
    }
    const undeployed = operation.type === 'contract_call' && operation.contract.address === null;
    // From here on, the action is identified by the service's id, even if the caller chose another id.
    const action =
      named === null || !undeployed
        ? null
        : await this.#options.deployments(request.principal.projectUid, named);
    return { effective, operation, deployedBy: action?.actionId ?? null };
  }

  async #resolveLocators(request: ResolveRequest, operation: Operation): Promise<ResolvedOperation> {
    switch (operation.type) {
      case 'transfer': {
        const { recipient, ...rest } = operation;
        return { ...rest, ...(await this.#accountOf(request, recipient)) };
      }
      case 'contract_call': {
        const { contract, ...rest } = operation;
        return { ...rest, contract: await this.#contractOf(request, contract) };
      }
      case 'contract_deploy': {
        const { source, ...rest } = operation;
        return source === undefined ? rest : { ...rest, source: await this.#sourceOf(request, source) };
      }
    }
  }

  async #accountOf(
    request: ResolveRequest,
    locator: Locator,
  ): Promise<{ recipient: string; recipientAliases?: string[] }> {
    if (locator.type === 'ledger') return { recipient: locator.resource };
    const pointer = `${request.pointer}/options/recipient/resource`;
    const wallet = await this.#options.wallets
      .demand(request.principal, 'wallet:read', locator.resource)
      .catch((error: unknown) => {
        throw notFoundAt(
          error,
          pointer,
          `The wallet ${locator.resource} does not exist or is not visible to you.`,
        );
      });
    if (wallet.chainId !== chainIdOf(request.chain)) {
      throw wallet.ledgerId === request.open.record.ledgerId
        ? otherChain(pointer, wallet, chainIdOf(request.chain))
        : wrongLedger(pointer, `The wallet ${wallet.walletId}`, wallet.ledgerId, request.open);
    }
    const { address, aliases } = walletIdentity(wallet);
    return aliases === undefined ? { recipient: address } : { recipient: address, recipientAliases: aliases };
  }

  async #contractOf(
    request: ResolveRequest,
    locator: ContractLocator,
  ): Promise<{ address: string | null; interface?: string }> {
    if (locator.type === 'ledger') return { address: locator.resource };
    const deploying = deployingAction(locator);
    if (deploying !== null) return this.#deployedContract(request, deploying);
    const contract = await this.#registeredContract(request, locator);
    if (contract === null) return { address: locator.resource };
    if (contract.ledgerUid !== request.open.record.uid) {
      throw wrongLedger(
        contractPointer(request.pointer),
        `The contract ${contract.contractId}`,
        contract.ledgerId,
        request.open,
      );
    }
    return { address: contract.nativeReference, ...interfaceOf(contract.parsedInterface) };
  }

  /**
   * Returns the registered contract that a locator names; null if the caller sees none and the locator may be an
   * address.
   * @throws Problem `not-found`
   */
  async #registeredContract(
    { principal, pointer }: Pick<ResolveRequest, 'principal' | 'pointer'>,
    locator: ContractLocator,
  ): Promise<ContractRecord | null> {
    const contract = await this.#options.registry.contract(principal.projectUid, locator.resource);
    if (
      contract !== null &&
      (await this.#options.auth.decide(principal, ['smart-contract-instance:read'], contract.uid)).result
    )
      return contract;
    if (locator.type === 'unresolved') return null;
    const detail = `The contract ${locator.resource} does not exist or is not visible to you.`;
    throw notFound(contractPointer(pointer), detail);
  }

  /**
   * Returns the id of the ledger of the contract that the operation calls; null if the contract is not registered and
   * no action deploys it.
   * @throws Problem `not-found`
   */
  async ledgerOfContract(
    request: Pick<ResolveRequest, 'principal' | 'glo' | 'pointer'>,
  ): Promise<string | null> {
    const { glo, principal, pointer } = request;
    if (glo.type !== 'contract_call') return null;
    const locator = glo.options.contractInstance;
    if (locator.type === 'ledger') return null;
    const deploying = deployingAction(locator);
    if (deploying === null) return (await this.#registeredContract(request, locator))?.ledgerId ?? null;
    const action = await this.#options.deployments(principal.projectUid, deploying);
    if (
      action === null ||
      !(await readableAmong(this.#options.auth, principal, [action.walletUid])).has(action.walletUid)
    )
      throw notFound(
        contractPointer(pointer),
        `The action ${deploying} does not exist or is not visible to you.`,
      );
    return action.ledgerId;
  }

  /** Resolves the contract that an action deploys or deployed, or that another operation of the batch deploys. */
  async #deployedContract(
    request: ResolveRequest,
    actionId: string,
  ): Promise<{ address: string | null; interface?: string }> {
    const pointer = contractPointer(request.pointer);
    const inBatch = request.batch?.get(actionId);
    const action = await (inBatch?.deployment() ??
      this.#options.deployments(request.principal.projectUid, actionId));
    if (inBatch !== undefined && action === null) throw refusedDependency(actionId, pointer);
    const isVisible =
      action !== null &&
      (inBatch !== undefined ||
        (await readableAmong(this.#options.auth, request.principal, [action.walletUid])).size > 0);
    if (action === null || !isVisible)
      throw notFound(pointer, `The action ${actionId} does not exist or is not visible to you.`);
    if (action.source === null) {
      const detail = `the action ${actionId} does not deploy a contract`;
      throw new Problem('invalid-request', `${pointer}: ${detail}.`, { errors: [{ pointer, detail }] });
    }
    if (action.ledgerUid !== request.open.record.uid) {
      throw wrongLedger(pointer, `The contract of the action ${actionId}`, action.ledgerId, request.open);
    }
    if (action.status === 'FAILED') {
      const detail = `The action ${actionId}, which should have deployed the contract, failed.`;
      throw new Problem('dependency-failed', detail, { errors: [{ pointer, detail }] });
    }
    const { interface: text } = await this.#sourceOf(request, action.source);
    return { address: action.contractAddress, ...interfaceOf(text) };
  }

  async #sourceOf(request: ResolveRequest, locator: Locator): Promise<ContractSource> {
    const pointer = `${request.pointer}/options/contract_source/resource`;
    if (locator.type === 'ledger') {
      throw new Problem(
        'invalid-request',
        `${pointer}: the source of a deployment must be a template version of the service. Use lookup_service type "service" and resource "<template id>:<version>".`,
        {
          errors: [
            { pointer, detail: 'names a ledger, but the source must be a template version of the service' },
          ],
        },
      );
    }
    const colon = locator.resource.lastIndexOf(':');
    const [templateId, version] = [locator.resource.slice(0, colon), locator.resource.slice(colon + 1)];
    if (colon < 1 || version === '') {
      throw new Problem('invalid-request', `${pointer}: must be "<template id>:<version>".`, {
        errors: [{ pointer, detail: 'must be "<template id>:<version>"' }],
      });
    }
    const template = await this.#options.registry.template(request.principal.projectUid, templateId);
    const visible =
      template !== null &&
      (await this.#options.auth.decide(request.principal, ['smart-contract-template:read'], template.uid))
        .result;
    if (template === null || !visible) {
      throw notFound(pointer, `The template ${templateId} does not exist or is not visible to you.`);
    }
    const specification = await this.#options.registry.specification(template.uid, version);
    if (specification === null)
      throw notFound(pointer, `The template ${templateId} has no version ${version}.`);
    if (specification.technology !== request.open.record.technology) {
      throw new Problem(
        'wrong-ledger',
        `${pointer}: the template ${locator.resource} is for ${specification.technology}, but the ledger ${request.open.record.ledgerId} uses ${request.open.record.technology}.`,
        {
          errors: [
            {
              pointer,
              detail: `must be a template for ${request.open.record.technology}, not for ${specification.technology}`,
            },
          ],
        },
      );
    }
    if (specification.status !== 'COMPILED') {
      const detail = `the version ${version} of the template ${templateId} is not compiled; its status is ${specification.status}`;
      throw new Problem('conflict', `${pointer}: ${detail}.`, { errors: [{ pointer, detail }] });
    }
    return { interface: specification.interface, code: specification.code, resource: locator.resource };
  }
}

/** `text` is empty if the contract's ledger does not publish interfaces. */
function interfaceOf(text: string): { interface?: string } {
  return text === '' ? {} : { interface: text };
}

/** Replaces names of other wallets with addresses, if the adapter supports co-signers. */
async function withAddresses(
  { open, pointer, walletAddress }: ResolveRequest,
  operation: ResolvedOperation,
): Promise<ResolvedOperation> {
  if (open.definition.capabilities.coSigners !== true) return operation;
  const { native, type } = operation;
  const schema = technologyOf(open.definition).contentOf(type);
  const names = new Map<string, string>();
  schema.replaceWallets(native.content, (named, at) => {
    names.set(at, named);
    return named;
  });
  const addresses = new Map<string, string>();
  for (const [at, named] of names) {
    const place = adapterPointer(`/native${at}`, open.record.technology);
    addresses.set(at, await walletAddress(named, pointer + place));
  }
  const content = schema.replaceWallets(native.content, (named, at) => addresses.get(at) ?? named);
  return { ...operation, native: { ...native, content } };
}

/**
 * Returns the part after `action:` in a locator: an action's id or, in a batch, an operation's name. Null for
 * any other locator.
 */
export function deployingAction({ type, resource }: ContractLocator): string | null {
  return type === 'service' && resource.startsWith(actionPrefix) ? resource.slice(actionPrefix.length) : null;
}

/** Returns the pointer to the called contract in a GLO at `pointer`. */
export function contractPointer(pointer: string): string {
  return `${pointer}/options/contract_instance/resource`;
}

/** Returns the problem of an operation that depends on a rejected operation of its batch. */
export function refusedDependency(name: string, pointer: string): Problem {
  const detail = `depends on ${name}, which was rejected`;
  return new Problem('unknown-dependency', `${pointer}: ${detail}`, { errors: [{ pointer, detail }] });
}

function precedence({ glo, open, pointer }: ResolveRequest): Effective {
  try {
    const technology = technologyOf(open.definition);
    return effectiveOperation(checkContent(glo, technology), technology);
  } catch (error) {
    if (!(error instanceof GloError)) throw error;
    const errors = error.issues.map((issue) => ({ pointer: pointer + issue.pointer, detail: issue.detail }));
    const name = error.code === 'wrong-ledger' ? 'wrong-ledger' : 'invalid-request';
    throw new Problem(name, errors.map((issue) => `${issue.pointer} ${issue.detail}`).join('; '), { errors });
  }
}

function notFound(pointer: string, detail: string): Problem {
  return new Problem('not-found', detail, { errors: [{ pointer, detail }] });
}

/** Replaces a `not-found` error by a problem with the given pointer and detail. Returns other errors unchanged. */
export function notFoundAt(error: unknown, pointer: string, detail: string): unknown {
  return error instanceof Problem && error.problem === 'not-found' ? notFound(pointer, detail) : error;
}

/**
 * Returns a problem to throw if the ledger's chain is not the one on which the wallet was created, because the ledger
 * was reset or its nodes were replaced.
 */
function otherChain(
  pointer: string,
  { walletId, ledgerId, chainId }: Pick<WalletRow, 'walletId' | 'ledgerId' | 'chainId'>,
  its: string,
): Problem {
  const detail = `was created on the chain ${chainId}, but the ledger ${ledgerId} is now on the chain ${its}, which has a different first block`;
  return new Problem('wrong-ledger', `${pointer}: The wallet ${walletId} ${detail}.`, {
    errors: [{ pointer, detail }],
  });
}

function wrongLedger(pointer: string, what: string, its: string, target: OpenLedger): Problem {
  return new Problem(
    'wrong-ledger',
    `${pointer}: ${what} is on the ledger ${its}, but the operation runs on ${target.record.ledgerId}, the ledger of the sending wallet.`,
    {
      errors: [
        { pointer, detail: `is on the ledger ${its}, but the operation runs on ${target.record.ledgerId}` },
      ],
    },
  );
}
