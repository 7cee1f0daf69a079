import type { Schemas } from '../api/types.ts';

/**
 * Fields to focus in the form that sends an action again, the most useful first: JSON pointers into the request, where `*`
 * matches any one part. `send` is the button.
 */
export type Fix = readonly string[];

const options = '/glo/options';
const amount = `${options}/amount`;
const args = `${options}/args`;
const native = '/glo/meta/ledger/*/native_transaction_content';
const wallet = '/walletId';

/** Fields to suggest if the problem's type does not show which one is wrong. */
const anything: Fix = [amount, args, `${options}/contract_source`, wallet];

/**
 * Fields to change after a problem, by its type. If the operation did not cause the problem, the fix is
 * `send`: to send it again unchanged.
 */
const fixes: Readonly<Record<string, Fix>> = {
  'insufficient-funds': [amount, `${native}/value`, wallet],
  'unknown-method': [`${options}/method_name`],
  'unknown-contract': [`${options}/contract_instance`, `${options}/contract_source`],
  'invalid-request': anything,
  'not-preparable': anything,
  reverted: [args, amount, wallet],
  'endorsement-failed': [args, wallet],
  'out-of-gas': [`${native}/gasLimit`, args],
  'not-permitted': [wallet],
  'unsupported-operation': [wallet],
  'wrong-sender': [wallet],
  'wrong-chain': [wallet],
  'certificate-invalid': [wallet],
  'deadline-passed': ['/deadline', 'send'],
  'dependency-failed': ['/dependencies', 'send'],
  'approvals-missing': ['send'],
  invalidated: ['send'],
  'ledger-unavailable': ['send'],
  'ledger-timeout': ['send'],
  'address-not-opened': ['send'],
  'plugin-fault': ['send'],
  'nonce-conflict': ['send'],
  'nonce-taken': ['send'],
  'claim-taken': ['send'],
  cancelled: ['send'],
  dropped: ['send'],
  expired: ['send'],
  'chain-reset': ['send'],
};

/**
 * Returns the fields to change before an action is sent again: first those that its problem points to, then
 * those of the problem's type.
 */
export function fixOf(problem: Pick<Schemas['Problem'], 'type' | 'errors'> | undefined): Fix {
  if (problem === undefined) return anything;
  const named = (problem.errors ?? []).map(({ pointer }) => requestPointer(pointer));
  return [...named, ...(fixes[problem.type.split(':').at(-1) ?? ''] ?? anything)];
}

/** Plugins name members of the operation; the form names members of the request. */
function requestPointer(pointer: string): string {
  if (pointer.startsWith('/native/')) return pointer.replace('/native', native);
  return /^\/(amount|args|recipient|method_name|contract_instance|contract_source)(\/|$)/.test(pointer)
    ? `${options}${pointer}`
    : pointer;
}

/**
 * Whether a pointer names a field, a part of the field, or a value that contains the field: `/args` and
 * `/args/0` match each other.
 */
export function isFieldOf(pointer: string, field: string): boolean {
  const [wanted, its] = [pointer.split('/'), field.split('/')];
  const length = Math.min(wanted.length, its.length);
  // The root would match every field.
  if (length < 2 && pointer !== field) return false;
  return wanted.slice(0, length).every((part, index) => part === '*' || part === its[index]);
}
