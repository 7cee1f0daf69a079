import { type Auth, type Principal, systemUid } from '@ledger-ops/auth';
import { Problem } from '@ledger-ops/base';
import type { Store } from '@ledger-ops/store';
import { namedProject } from '../actions/named-project.ts';
import type { RegistryPort } from '../registry-port.ts';
import type { SuspendedKind } from '../rows/actions/suspensions.ts';
import type { Wallets } from '../wallets/wallets.ts';

export interface SubjectOptions {
  store: Store;
  auth: Pick<Auth, 'decide' | 'demand'>;
  registry: Pick<RegistryPort, 'ledgerByLedgerId'>;
  wallets: Pick<Wallets, 'demand'>;
}

/** The resource to suspend, as named in the request. */
export interface SuspensionSubject {
  kind: SuspendedKind;
  /** Id of the ledger, wallet or project; for a project also its uid. */
  name: string;
  pointer: string;
}

/** Uids of a resource and of its project or the system, and the resource's id. */
interface Subject {
  uid: string;
  scope: string;
  name: string;
}

/** Finds the resource to suspend. @throws Problem `not-found`, `not-permitted` */
export async function subjectOf(
  options: SubjectOptions,
  principal: Principal,
  named: SuspensionSubject,
): Promise<Subject> {
  const { kind, name } = named;
  if (kind === 'wallet') {
    const { uid, projectId } = await options.wallets.demand(principal, 'wallet:update', name);
    return { uid, scope: projectId, name };
  }
  const subject =
    kind === 'ledger' ? await ledgerOf(options, principal, name) : await projectOf(options, principal, named);
  if (subject === undefined) throw new Problem('not-found', '');
  await options.auth.demand(principal, `${kind}:update`, subject.uid);
  return subject;
}

async function ledgerOf(
  { registry }: SubjectOptions,
  { projectUid }: Principal,
  name: string,
): Promise<Subject | undefined> {
  const ledger = await registry.ledgerByLedgerId(name, projectUid);
  return ledger === null ? undefined : { uid: ledger.uid, scope: ledger.projectUid ?? systemUid, name };
}

async function projectOf(
  { store, auth }: SubjectOptions,
  principal: Principal,
  named: SuspensionSubject,
): Promise<Subject | undefined> {
  const project = await namedProject(store.read, auth, principal, named);
  return project === undefined
    ? undefined
    : { uid: project.uid, scope: project.uid, name: project.projectId };
}
