import { answer, type LedgerClient } from '@ledger-ops/client';
import {
  type Activity,
  actionOf,
  activityText,
  type DescribedAction,
  resourceText,
  resourceTypes,
} from '@ledger-ops/client/text';
import { command } from '../command.ts';
import { CliError } from '../errors.ts';
import { given } from '../given.ts';
import { identityNames } from './identity-names.ts';
import { firstOf, limit } from './lists.ts';

/** Milliseconds of the period that is shown without a filter. */
const dayMs = 86_400_000;
/** Maximum number of newest actions whose operations are described, as many as one request returns. */
const mostActions = 100;

/** Returns a resource type as sentences name it: `wallet`, `contract-group`. */
const typeWord = (type: string) => resourceText(type).replaceAll(' ', '-');

/**
 * Describes the operations of the newest actions, by action id. Reads them only if a timeline record is about
 * an action.
 */
async function operationsOf(
  { http }: LedgerClient,
  activities: readonly Activity[],
): Promise<ReadonlyMap<string, DescribedAction>> {
  if (!activities.some((one) => actionOf(one) !== undefined)) return new Map();
  const params = { query: { size: mostActions } };
  const { actions } = await answer(http.GET('/v1/ledger-ops/actions', { params }));
  return new Map(actions.map((one) => [one.actionId, one]));
}

export const timeline = [
  command({
    name: 'timeline',
    isList: true,
    about: 'Lists who changed what and when, newest first. Without a filter: the last 24 hours.',
    more: 'ledger-ops timeline --resource till --from 2026-11-20T12:30:00Z',
    options: {
      resource: { value: 'resource', about: 'Only changes of this record: its id or uid.' },
      type: { value: 'type', values: resourceTypes.map(typeWord), about: 'Only changes of these records.' },
      service: {
        value: 'service',
        about:
          'Only changes recorded by this component of the service, such as cloud-wallet; --json shows the component of each change.',
      },
      action: {
        value: 'action',
        about: 'Only changes of this kind, such as create; requires --service.',
      },
      from: { value: 'time', about: 'Only changes at or after this time: 2026-11-20T12:30:00Z' },
      order: { value: 'order', values: ['newest', 'oldest'], about: 'The sort order. Default: newest.' },
      ...limit,
    },
    async run(
      { client, output, terminal },
      { limit, resource: resourceId, type, order = 'newest', ...rest },
    ) {
      if (rest.action !== undefined && rest.service === undefined)
        throw new CliError(
          'usage',
          '--action requires --service, because several services use the same names for actions.',
        );
      const resourceType = resourceTypes.find((one) => typeWord(one) === type);
      const filter = given({ ...rest, resourceId, resourceType });
      const isFiltered = Object.keys(filter).length > 0;
      const query = {
        ...(isFiltered ? filter : { from: new Date(Date.now() - dayMs).toISOString() }),
        order,
      };
      const service = await client();
      const { signal } = terminal;
      const found = await firstOf(service.each('/v1/admin/timeline', { query, signal }), limit);
      if (output.isJson) return output.table(found, {}, '');
      const names = await identityNames(service.http);
      const operations = await operationsOf(service, found);
      const who = ({ serviceId }: Activity) =>
        serviceId === '' ? 'the service' : (names.get(serviceId) ?? serviceId);
      const what = (one: Activity) => activityText(one, operations.get(actionOf(one) ?? ''), names);
      output.table(
        found,
        { when: 'performedAt', who, what },
        isFiltered ? 'No matching changes.' : 'No changes in the last 24 hours.',
        {
          ...{ when: 'performedAt', who, what, action: 'action', 'record type': 'resourceType' },
          ...{ record: 'resourceId', target: 'target', project: 'projectId' },
        },
      );
    },
  }),
];
