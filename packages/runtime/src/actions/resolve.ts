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
import type { OpenLedger } from '../open-ledger.ts';
import { technologyOf } from '../plugins/technology-of.ts';
import type { RegistryPort } from '../registry-port.ts';
import { chainIdOf } from '../rows/chains/chain-key.ts';
import type { WalletRow, Wallets } from '../wallets/types.ts';
import { walletIdentity } from '../wallets/wallet-rows.ts';
import { adapterPointer } from './pointers.ts';
import { readableAmong } from './readable.ts';

/** A service locator of a contract that an action deploys: `action:<actionId>`; in a batch also `action:<name>`. */
const actionPrefix = 'action:';

/** An action as far as a later one may build on it. */
export interface Deployment {
  actionId: string;
  walletUid: string;
  ledgerUid: string;
  ledgerId: string;
  status: string;
  contractAddress: string | null;
  /** Null when the action deploys no template. */
  source: Locator | null;
}

/** Operations that are sent together, by the names that their sender gave them. */
export type Together = ReadonlyMap<
  string,
  {
    /** Of the action that it will be. */
    readonly id: string;
    /** Null when it was refused. */
    deployment(): Promise<Deployment | null>;
  }
>;

export interface ResolverOptions {
  deployments: (projectUid: string, actionId: string) => Promise<Deployment | null>;
  auth: Auth;
  registry: RegistryPort;
  wallets: Wallets;
}

/** Gives the address of a wallet that native content names by id or address. @throws Problem */
export type WalletNames = (named: string, pointer: string) => Promise<string>;

export interface ResolveRequest {
  principal: Principal;
  glo: Glo;
  open: OpenLedger;
  /** Chain key of the ledger. */
  chain: string;
  /** JSON Pointer of the GLO in the request. */
  pointer: string;
  /** Addresses of the wallets that native content names. */
  walletAddress: WalletNames;
  /** Absent: it is sent alone. */
  together?: Together;
}

export interface Resolved {
  effective: Effective;
  operation: ResolvedOperation;
  /** PENDING action that deploys the contract; its address is null until then. */
  deployedBy: string | null;
}

/** Turns what the service knows by its own ids into the ledger's addresses, interfaces and code. */
export interface Resolver {
  /** @throws Problem */
  resolve(request: ResolveRequest): Promise<Resolved>;
}

export function createResolver({ auth, registry, wallets, deployments }: ResolverOptions): Resolver {
  async function resolve(request: ResolveRequest): Promise<Resolved> {
    const effective = precedence(request);
    const located = await withAddresses(request, await resolveLocators(request, effective.operation));
    const version = request.glo.meta?.[located.native.technology]?.version;
    const operation =
      version === undefined ? located : { ...located, native: { ...located.native, version } };
    if (effective.operation.type !== 'contract_call') return { effective, operation, deployedBy: null };
    const { contract } = effective.operation;
    const named = deployingAction(contract);
    const beside = named === null ? undefined : request.together?.get(named);
    if (beside !== undefined) {
      // A name is forgotten with its batch: what is stored says the id.
      const byId = { ...contract, resource: actionPrefix + beside.id };
      const stored = { ...effective, operation: { ...effective.operation, contract: byId } };
      return { effective: stored, operation, deployedBy: beside.id };
    }
    const undeployed = operation.type === 'contract_call' && operation.contract.address === null;
    // By its own id from here on, whatever its sender called it.
    const action =
      named === null || !undeployed ? null : await deployments(request.principal.projectUid, named);
    return { effective, operation, deployedBy: action?.actionId ?? null };
  }

  async function resolveLocators(request: ResolveRequest, operation: Operation): Promise<ResolvedOperation> {
    switch (operation.type) {
      case 'transfer': {
        const { recipient, ...rest } = operation;
        return { ...rest, ...(await accountOf(request, recipient)) };
      }
      case 'contract_call': {
        const { contract, ...rest } = operation;
        return { ...rest, contract: await contractOf(request, contract) };
      }
      case 'contract_deploy': {
        const { source, ...rest } = operation;
        return source === undefined ? rest : { ...rest, source: await sourceOf(request, source) };
      }
    }
  }

  async function accountOf(
    request: ResolveRequest,
    locator: Locator,
  ): Promise<{ recipient: string; recipientAliases?: string[] }> {
    if (locator.type === 'ledger') return { recipient: locator.resource };
    const pointer = `${request.pointer}/options/recipient/resource`;
    const wallet = await wallets
      .demand(request.principal, 'wallet:read', locator.resource)
      .catch((error: unknown) => {
        throw notFoundAt(error, pointer, `There is no wallet ${locator.resource} that you may see.`);
      });
    if (wallet.chainId !== chainIdOf(request.chain)) {
      throw wallet.ledgerId === request.open.record.ledgerId
        ? otherChain(pointer, wallet, chainIdOf(request.chain))
        : wrongLedger(pointer, `The wallet ${wallet.walletId}`, wallet.ledgerId, request.open);
    }
    const { address, aliases } = walletIdentity(wallet);
    return aliases === undefined ? { recipient: address } : { recipient: address, recipientAliases: aliases };
  }

  async function contractOf(
    request: ResolveRequest,
    locator: ContractLocator,
  ): Promise<{ address: string | null; interface?: string }> {
    if (locator.type === 'ledger') return { address: locator.resource };
    const deploying = deployingAction(locator);
    if (deploying !== null) return deployedContract(request, deploying);
    const contract = await registry.contract(request.principal.projectUid, locator.resource);
    const visible =
      contract !== null &&
      (await auth.decide(request.principal, ['smart-contract-instance:read'], contract.uid)).result;
    if (contract === null || !visible) {
      if (locator.type === 'unresolved') return { address: locator.resource };
      const detail = `There is no contract ${locator.resource} that you may see.`;
      throw notFound(contractPointer(request.pointer), detail);
    }
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

  /** The contract that an action deploys, or has deployed, or one of the operations that are sent with this one. */
  async function deployedContract(
    request: ResolveRequest,
    actionId: string,
  ): Promise<{ address: string | null; interface?: string }> {
    const pointer = contractPointer(request.pointer);
    const beside = request.together?.get(actionId);
    const action = await (beside?.deployment() ?? deployments(request.principal.projectUid, actionId));
    if (beside !== undefined && action === null) throw refusedBeside(actionId, pointer);
    const isVisible =
      action !== null &&
      (beside !== undefined || (await readableAmong(auth, request.principal, [action.walletUid])).size > 0);
    if (action === null || !isVisible)
      throw notFound(pointer, `There is no action ${actionId} that you may see.`);
    if (action.source === null) {
      const detail = `the action ${actionId} deploys no contract`;
      throw new Problem('invalid-request', `${pointer}: ${detail}.`, { errors: [{ pointer, detail }] });
    }
    if (action.ledgerUid !== request.open.record.uid) {
      throw wrongLedger(pointer, `The contract of the action ${actionId}`, action.ledgerId, request.open);
    }
    if (action.status === 'FAILED') {
      const detail = `The action ${actionId}, which was to deploy the contract, failed.`;
      throw new Problem('dependency-failed', detail, { errors: [{ pointer, detail }] });
    }
    const { interface: text } = await sourceOf(request, action.source);
    return { address: action.contractAddress, ...interfaceOf(text) };
  }

  async function sourceOf(request: ResolveRequest, locator: Locator): Promise<ContractSource> {
    const pointer = `${request.pointer}/options/contract_source/resource`;
    if (locator.type === 'ledger') {
      throw new Problem(
        'invalid-request',
        `${pointer}: a deployment takes its source from the service: lookup_service type "service" and resource "<template id>:<version>".`,
        { errors: [{ pointer, detail: 'names a ledger; a source is a template version of the service' }] },
      );
    }
    const colon = locator.resource.lastIndexOf(':');
    const [templateId, version] = [locator.resource.slice(0, colon), locator.resource.slice(colon + 1)];
    if (colon < 1 || version === '') {
      throw new Problem('invalid-request', `${pointer}: must be "<template id>:<version>".`, {
        errors: [{ pointer, detail: 'must be "<template id>:<version>"' }],
      });
    }
    const template = await registry.template(request.principal.projectUid, templateId);
    const visible =
      template !== null &&
      (await auth.decide(request.principal, ['smart-contract-template:read'], template.uid)).result;
    if (template === null || !visible) {
      throw notFound(pointer, `There is no template ${templateId} that you may see.`);
    }
    const specification = await registry.specification(template.uid, version);
    if (specification === null)
      throw notFound(pointer, `The template ${templateId} has no version ${version}.`);
    if (specification.technology !== request.open.record.technology) {
      throw new Problem(
        'wrong-ledger',
        `${pointer}: the template ${locator.resource} is for ${specification.technology}, but the ledger ${request.open.record.ledgerId} is ${request.open.record.technology}.`,
        { errors: [{ pointer, detail: `is for ${specification.technology}` }] },
      );
    }
    if (specification.status !== 'COMPILED') {
      const detail = `the version ${version} of the template ${templateId} is not compiled: ${specification.status}`;
      throw new Problem('conflict', `${pointer}: ${detail}.`, { errors: [{ pointer, detail }] });
    }
    return { interface: specification.interface, code: specification.code, resource: locator.resource };
  }

  return { resolve };
}

/** Contracts whose ledger publishes nothing of them have no interface. */
function interfaceOf(text: string): { interface?: string } {
  return text === '' ? {} : { interface: text };
}

/** Other wallets by their addresses, where the adapter says that content names some. */
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

/** The part after `action:` in a locator: an action's id, or in a batch an operation's name; null for any other locator. */
export function deployingAction({ type, resource }: ContractLocator): string | null {
  return type === 'service' && resource.startsWith(actionPrefix) ? resource.slice(actionPrefix.length) : null;
}

/** Where a GLO at `pointer` names the contract that it calls. */
export function contractPointer(pointer: string): string {
  return `${pointer}/options/contract_instance/resource`;
}

/** An operation of a batch is refused with another one that it builds on. */
export function refusedBeside(name: string, pointer: string): Problem {
  const detail = `${name}, on which it depends, was refused`;
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

/** A missing record that a body names, with the place where it names it. */
export function notFoundAt(error: unknown, pointer: string, detail: string): unknown {
  return error instanceof Problem && error.problem === 'not-found' ? notFound(pointer, detail) : error;
}

/** A ledger that began anew, or whose nodes were exchanged, where the chain's id goes by its first block. */
function otherChain(
  pointer: string,
  { walletId, ledgerId, chainId }: Pick<WalletRow, 'walletId' | 'ledgerId' | 'chainId'>,
  its: string,
): Problem {
  const detail = `was made on the chain ${chainId}, but the ledger ${ledgerId} is the chain ${its} now, which has another first block`;
  return new Problem('wrong-ledger', `${pointer}: The wallet ${walletId} ${detail}.`, {
    errors: [{ pointer, detail }],
  });
}

function wrongLedger(pointer: string, what: string, its: string, target: OpenLedger): Problem {
  return new Problem(
    'wrong-ledger',
    `${pointer}: ${what} is on the ledger ${its}, but the operation runs on ${target.record.ledgerId}, the ledger of the sender's wallet.`,
    { errors: [{ pointer, detail: `is on the ledger ${its}, not on ${target.record.ledgerId}` }] },
  );
}
