import { type Auth, type Principal, systemUid } from '@ledger-ops/auth';
import { Problem } from '@ledger-ops/base';
import { visibleLedger } from '@ledger-ops/registry';
import type { Store } from '@ledger-ops/store';
import { namedProject } from '../actions/named-project.ts';
import { notFoundAt } from '../actions/resolve.ts';
import type { RegistryPort } from '../registry-port.ts';
import type { SuspendedKind } from '../rows/actions/suspensions.ts';
import type { Wallets } from '../wallets/wallets.ts';

export interface SubjectOptions {
  store: Store;
  auth: Pick<Auth, 'decide' | 'demand'>;
  registry: Pick<RegistryPort, 'ledgersByLedgerId'>;
  wallets: Pick<Wallets, 'demand'>;
}

/** A resource to suspend, as the request names it. */
export interface SuspensionSubject {
  kind: SuspendedKind;
  /** Id of the ledger, wallet or project. A project can be named by its uid instead. */
  name: string;
  pointer: string;
}

interface Subject {
  uid: string;
  /** Uid of the resource's project, or of the system. */
  scope: string;
  name: string;
}

/**
 * Finds the resource that a request names, and checks the caller's permission on it.
 * @throws Problem `not-found` with the pointer, `not-permitted`, `conflict` if the id matches several projects
 */
export async function subjectOf(
  options: SubjectOptions,
  principal: Principal,
  verb: 'read' | 'update',
  named: SuspensionSubject,
): Promise<Subject> {
  const { kind, name, pointer } = named;
  try {
    if (kind === 'wallet') {
      const { uid, projectId } = await options.wallets.demand(principal, `wallet:${verb}`, name);
      return { uid, scope: projectId, name };
    }
    const subject = await (kind === 'ledger' ? ledgerOf : projectOf)(options, principal, named);
    await options.auth.demand(principal, `${kind}:${verb}`, subject.uid);
    return subject;
  } catch (error) {
    throw notFoundAt(error, pointer, `The ${kind} ${name} does not exist or is not visible to you.`);
  }
}

async function ledgerOf(
  options: SubjectOptions,
  principal: Principal,
  { name }: SuspensionSubject,
): Promise<Subject> {
  const { uid, projectUid, ledgerId } = await visibleLedger(options, principal, name);
  return { uid, scope: projectUid ?? systemUid, name: ledgerId };
}

async function projectOf(
  { store, auth }: SubjectOptions,
  principal: Principal,
  named: SuspensionSubject,
): Promise<Subject> {
  const project = await namedProject(store.read, auth, principal, named);
  if (project === undefined) throw new Problem('not-found', '');
  return { uid: project.uid, scope: project.uid, name: project.projectId };
}
