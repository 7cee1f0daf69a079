import type { components } from '../schema.generated.ts';
import { actionText, type SummarizedAction } from './action-text.ts';
import { changesText } from './changes-text.ts';

/** A record of the timeline. */
export type Activity = components['schemas']['AdminActivity'];

/** The members of an action that a sentence about it contains. */
export type DescribedAction = SummarizedAction & Pick<components['schemas']['ActionOverview'], 'walletId'>;

/** Resource types by which users filter the timeline. Wallets are of the type `cloud-wallet`. */
export const resourceTypes = [
  'organization',
  'project',
  'app',
  'service-account',
  'identity',
  'cloud-wallet',
  'ledger',
  'node',
  'explorer',
  'plugin',
  'contract-group',
  'smart-contract-instance',
  'smart-contract-template',
] as const;

/** Names of resource types in sentences. */
const resources: Readonly<Record<string, string>> = {
  'service-account': 'account',
  'contract-group': 'contract group',
  'smart-contract-instance': 'contract',
  'smart-contract-template': 'template',
  'cloud-wallet': 'wallet',
  app: 'application',
  identity: 'person',
};

/**
 * Sentence for each kind of activity: `$record` is the record, and `$target` is the changed part. A sentence
 * for a resource type and an action takes precedence over a sentence for only the action.
 */
const texts: Readonly<Record<string, string>> = {
  create: 'created the $record',
  'cloud-wallet create': 'created the $record on the ledger $target',
  update: 'changed the $record',
  delete: 'deleted the $record',
  remove: 'removed the $record',
  archive: 'archived the $record',
  restore: 'restored the $record',
  suspend: 'suspended the $record',
  resume: 'resumed the $record',
  'assign-role': 'granted the role $target on the $record',
  'revoke-role': 'revoked the role $target on the $record',
  'role-ended': 'ended the role $target on the $record',
  'withdraw-role': 'withdrew the offered role $target on the $record',
  'update-status': 'set the $record to $target',
  'update-image': 'changed the image of the $record',
  'set-storage-limit': 'set the storage limit of the $record to $target',
  'create-api-token': 'created the API token $target of the $record',
  'update-api-token': 'set the API token of the $record: $target',
  'create-key': 'created the key $target of the $record',
  'update-key': 'set the key of the $record: $target',
  'issue-token': 'issued a token of the $record',
  'end-former-token': 'revoked the previous token of the $record',
  'revoke-token': 'revoked the tokens of the $record for the application $target',
  'reuse-refresh-token': 'ended the sessions of the $record: a refresh token was used twice',
  login: 'signed in as the $record',
  consent: 'allowed the application $target to act for the $record',
  'init-user': 'set the first password of the $record',
  'create-property': 'set the property $target of the $record',
  'create-lookup-term': 'added the lookup term $target to the $record',
  'create-version': 'created version $target of the $record',
  invite: 'invited somebody to the $record (invitation $target)',
  'accept-invitation': 'accepted the invitation $target to the $record',
  'reject-invitation': 'rejected the invitation $target to the $record',
  'cancel-invitation': 'canceled the invitation $target to the $record',
  'add-tags': 'added the tags $target to the $record',
  'remove-tags': 'removed the tags $target from the $record',
  'change-password': 'changed the password of the $record',
  'wrong-password': 'used a wrong password for the $record',
  export: 'exported the key of the $record',
  renew: 'renewed the certificate of the $record',
  rotate: 'created a new secret of the $record',
  test: 'sent a test event to the $record',
  replay: 'replayed events of the $record',
  accept: 'sent an operation from the $record',
  sign: 'signed an operation of the $record',
  continue: 'sent another transaction of an operation of the $record',
  cancel: 'requested to cancel an operation of the $record',
  hurry: 'requested to speed up an operation of the $record',
  succeed: 'completed an operation of the $record',
  fail: 'reported that an operation of the $record failed',
  retract: 'reported that the chain removed an operation of the $record',
  reinstate: 'reported that the chain restored an operation of the $record',
  tell: 'read an event of the $record',
};

/** Parts of a record whose status an update changes; `$part` is the first word of the target. */
const parts: Readonly<Record<string, string>> = {
  'update-api-token': 'API token $part of the $record',
  'update-key': 'key $part of the $record',
};

/** Steps of an action. The target of these activities is the action's id. */
const steps: Readonly<Record<string, string>> = {
  accept: '',
  sign: 'signed ',
  continue: 'sent another transaction of ',
  cancel: 'requested to cancel ',
  hurry: 'requested to speed up ',
  succeed: 'completed ',
  fail: 'reported a failure of ',
  retract: 'reported that the chain removed ',
  reinstate: 'reported that the chain restored ',
};

/** Returns the id of the action that an activity is about; undefined for a change of a record. */
export function actionOf({ resourceType, action, target }: Activity): string | undefined {
  return resourceType === 'cloud-wallet' && Object.hasOwn(steps, action) ? target : undefined;
}

/**
 * Returns what an activity did, as a predicate that follows the name of the actor: `sent 0.05 ETH from till
 * to rent`.
 * @param operation the action that it is about, if it is known
 * @param people names of people and service accounts, by serviceId
 */
export function activityText(
  activity: Activity,
  operation?: DescribedAction,
  people: ReadonlyMap<string, string> = new Map(),
): string {
  const { action, resourceId } = activity;
  // A target may contain service ids, as in `owner 01a2…`.
  const target = activity.target
    .replace(serviceIds, (id) => people.get(id) ?? id)
    .replace(holder, ` ${holders[action] ?? ''}$1`);
  if (operation !== undefined && actionOf(activity) !== undefined) {
    return `${steps[action]}${operationText(operation, action === 'accept')}`;
  }
  const record = recordText(activity, people);
  if (activity.changes.length > 0) {
    const [part = ''] = activity.target.split(' ');
    const changed = (parts[action] ?? '$record')
      .replace('$part', () => part)
      .replace('$record', () => record);
    return changesText(
      activity.changes,
      action === 'set-storage-limit' ? `storage of the ${record}` : changed,
    );
  }
  const text =
    texts[`${activity.resourceType} ${action}`] ?? texts[action] ?? `${action.replaceAll('-', ' ')}: $record`;
  const named = text.replace('$record', () => record).replace('$target', () => target);
  const isSaid =
    text.includes('$target') ||
    target === '' ||
    activity.target === resourceId ||
    activity.target === activity.resourceName ||
    activity.targetName !== null ||
    // Ids without names are omitted, because readers cannot interpret them.
    target.replace(serviceIds, '') === '' ||
    actionOf(activity) !== undefined;
  return isSaid ? named : `${named}: ${target}`;
}

/** Returns the type of an activity's record, in words. */
export function resourceText(resourceType: string): string {
  return resources[resourceType] ?? resourceType.replaceAll('-', ' ');
}

/** Returns the record's type and name or id: `wallet till`, `person ada@example.com`. */
function recordText(activity: Activity, people: ReadonlyMap<string, string>): string {
  const { resourceType, resourceId, resourceName, targetType, targetName } = activity;
  if (targetType !== null && targetName !== null) return `${targetType} ${targetName}`;
  return `${resourceText(resourceType)} ${people.get(resourceId) ?? resourceName}`;
}

/** The holder of a role, after its name: `owner ada@example.com`. */
const holder = / (\S+)$/;
const holders: Readonly<Record<string, string>> = { 'assign-role': 'to ', 'revoke-role': 'from ' };
const serviceIds = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** Returns `sent 0.05 ETH from till to rent`; for a later step, `the transfer of 0.05 ETH from till to rent`. */
function operationText(operation: DescribedAction, isAccepted: boolean): string {
  const { walletId, type } = operation;
  const text = actionText(operation);
  if (!isAccepted) {
    return type === 'transfer'
      ? text.replace(/^Transfer (.*) to (.*)$/, `the transfer of $1 from ${walletId} to $2`)
      : `“${text}” from ${walletId}`;
  }
  if (type === 'contract_call') return `called ${text.replace(/^Call /, '')} from ${walletId}`;
  if (type === 'contract_deploy') return `sent from ${walletId}: ${text}`;
  return text.replace(/^Transfer (.*) to (.*)$/, `sent $1 from ${walletId} to $2`);
}

/** Returns the first letter as a capital. */
export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
