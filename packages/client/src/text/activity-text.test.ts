import { expect, test } from 'vitest';
import { type Activity, actionOf, activityText, type DescribedAction } from './activity-text.ts';

const activity = (more: Partial<Activity>): Activity => ({
  ...{ activityId: '1', service: 'resource-manager', projectId: 'mill', serviceId: 'ada', appId: 'console' },
  ...{ performedAt: '2026-11-20T12:00:00Z', recordedAt: '2026-11-20T12:00:00Z', target: '' },
  ...{ action: 'create', resourceType: 'ledger', resourceId: 'rolls', resourceName: 'Rolls' },
  ...{ targetType: null, targetName: null, changes: [] },
  ...more,
});

test.each([
  [{}, 'created the ledger Rolls'],
  [{ target: 'Rolls' }, 'created the ledger Rolls'],
  [
    { action: 'update', changes: [{ name: 'confirmations', from: '5', to: '12' }] },
    'changed confirmations of the ledger Rolls from 5 to 12',
  ],
  [
    { action: 'update', changes: [{ name: 'replace_after', from: null, to: '90' }] },
    'set replace after of the ledger Rolls to 90',
  ],
  [
    { action: 'update', changes: [{ name: 'name', from: 'Old Rolls', to: null }] },
    'removed name of the ledger Rolls (was “Old Rolls”)',
  ],
  [
    { action: 'update', changes: [{ name: 'active', from: 'yes', to: 'no' }] },
    'deactivated the ledger Rolls',
  ],
  [{ action: 'update', changes: [{ name: 'apiKey' }] }, 'changed api key of the ledger Rolls'],
  [
    {
      action: 'update',
      changes: ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => ({ name, from: null, to: name.repeat(70) })),
    },
    `changed the ledger Rolls: ${['a', 'b', 'c', 'd'].map((name) => `${name} to ${name.repeat(60)}…`).join(', ')} and 2 more`,
  ],
  [
    {
      ...{
        action: 'update',
        resourceType: 'project',
        resourceId: 'mill',
        resourceName: 'Mill',
        target: '01a2',
      },
      ...{ targetType: 'webhook', targetName: 'shop' },
      changes: [{ name: 'status', from: 'ENABLED', to: 'DISABLED' }],
    },
    'changed status of the webhook shop from ENABLED to DISABLED',
  ],
  [
    {
      ...{ action: 'rotate', resourceType: 'project', resourceId: 'mill', target: '01a2' },
      ...{ targetType: 'webhook', targetName: 'shop' },
    },
    'created a new secret of the webhook shop',
  ],
  [
    {
      ...{ action: 'update-api-token', resourceType: 'service-account', resourceName: 'robot' },
      ...{ target: 'a1b2 DISABLED', changes: [{ name: 'status', from: 'ENABLED', to: 'DISABLED' }] },
    },
    'changed status of the API token a1b2 of the account robot from ENABLED to DISABLED',
  ],
  [
    { action: 'assign-role', resourceType: 'project', resourceName: 'Mill', target: 'operator bakery' },
    'granted the role operator to bakery on the project Mill',
  ],
  [
    { action: 'export', resourceType: 'cloud-wallet', resourceName: 'till' },
    'exported the key of the wallet till',
  ],
  [
    { action: 'invite', resourceType: 'organization', resourceName: 'mill', target: '1' },
    'invited somebody to the organization mill (invitation 1)',
  ],
  [
    {
      ...{ action: 'tell', resourceType: 'smart-contract-instance', resourceName: 'Vault' },
      target: '01a2229c-ae43-7018-9c0b-72c82bdd72e8',
    },
    'read an event of the contract Vault',
  ],
  [{ action: 'invent-this' }, 'invent this: ledger Rolls'],
  [{ action: 'suspend', target: '01a2219f-910b-7564-884c-354006f05044' }, 'suspended the ledger Rolls'],
  [
    { action: 'accept', resourceType: 'cloud-wallet', resourceName: 'till', target: 'an-action' },
    'sent an operation from the wallet till',
  ],
])('describes %j as: somebody %s', (more, text) => {
  expect(activityText(activity(more))).toBe(text);
});

test('the activity text names people by their address, and unknown people by their id', () => {
  const [ada, other] = ['01a2219f-910b-7564-884c-354006f05044', '01a2219f-910b-7564-884c-354006f05045'];
  const people = new Map([[ada, 'ada@example.com']]);
  const granted = (serviceId: string) =>
    activity({
      ...{ action: 'assign-role', resourceType: 'organization', resourceName: 'mill' },
      target: `owner ${serviceId}`,
    });
  expect(activityText(granted(ada), undefined, people)).toBe(
    'granted the role owner to ada@example.com on the organization mill',
  );
  expect(activityText(granted(other), undefined, people)).toContain(other);
  const signedIn = activity({ action: 'login', resourceType: 'identity', resourceId: ada });
  expect(activityText(signedIn, undefined, people)).toBe('signed in as the person ada@example.com');
});

test('the activity text names the ledger of a new wallet', () => {
  const made = activity({ resourceType: 'cloud-wallet', resourceName: 'till', target: 'chain' });
  expect(activityText(made)).toBe('created the wallet till on the ledger chain');
});

test('the activity text says what an operation did, with amounts and names', () => {
  const operation: DescribedAction = {
    ...{ type: 'transfer', walletId: 'till', amount: '50000000000000000', recipient: '0x12' },
    ...{ unit: { symbol: 'ETH', decimals: 18 }, names: { recipient: 'rent', contract: null, arguments: [] } },
    ...{ contract: null, method: null, argumentsPreview: null },
  };
  const step = activity({ resourceType: 'cloud-wallet', resourceId: 'till', action: 'accept', target: 'id' });
  expect(actionOf(step)).toBe('id');
  expect(activityText(step, operation)).toBe('sent 0.05 ETH from till to rent');
  const call: DescribedAction = {
    recipient: null,
    ...{ type: 'contract_call', walletId: 'till', amount: '0', unit: null, contract: 'vault' },
    ...{
      method: 'take(uint256)',
      argumentsPreview: ['500'],
      names: { recipient: null, contract: 'Vault', arguments: [] },
    },
  };
  expect(activityText(step, call)).toBe('called Vault.take(500) from till');
  expect(activityText({ ...step, action: 'succeed' }, call)).toBe('completed “Vault.take(500)” from till');
  expect(activityText({ ...step, action: 'succeed' }, operation)).toBe(
    'completed the transfer of 0.05 ETH from till to rent',
  );
});
