import { answer } from '@ledger-ops/client';
import { command } from '../command.ts';
import { CliError } from '../errors.ts';
import type { Output } from '../output.ts';

type Limits = {
  items: {
    limit: string;
    used: number | null;
    usedBy: string | null;
    most: number;
    unit: string;
    setBy: string;
  }[];
};

const org = {
  org: {
    value: 'organization',
    about:
      'Id of the organization. If absent: the default limits, which apply to organizations without their own limits.',
  },
} as const;

function show(output: Output, { items }: Limits): void {
  output.table(
    items,
    { limit: 'limit', used: 'used', most: 'most', unit: 'unit', 'set by': 'setBy', 'used by': 'usedBy' },
    'No storage limits.',
  );
}

export const storage = [
  command({
    name: 'storage list',
    isList: true,
    about: 'Lists storage limits, and the usage of an organization.',
    more: 'Some limits apply to each project or each contract subscription. For these, "used by" is the project or subscription that uses most.',
    options: org,
    async run({ client, output }, { org: organizationId }) {
      const { http } = await client();
      if (organizationId === undefined) show(output, await answer(http.GET('/v1/admin/storage-limits')));
      else {
        const params = { path: { organizationId } };
        const path = '/v1/admin/organizations/{organizationId}/storage-limits';
        show(output, await answer(http.GET(path, { params })));
      }
    },
  }),
  command({
    name: 'storage set',
    about: 'Changes a storage limit.',
    more: 'ledger-ops storage set projects 2000 --org acme',
    arguments: {
      limit: { about: 'Name of the limit, as listed by ledger-ops storage list.' },
      most: { about: 'Number of records or bytes; `default` restores the default.' },
    },
    options: org,
    async run({ client, output }, { limit, most, org: organizationId }) {
      const { http } = await client();
      const body = { most: most === 'default' ? null : numberOf(most) };
      const { items } = await answer(http.GET('/v1/admin/storage-limits'));
      const known = items.find((one) => one.limit === limit)?.limit;
      if (known === undefined) {
        const names = items.map((one) => one.limit).join(', ');
        throw new CliError('usage', `Unknown storage limit ${limit}. The limits are: ${names}.`);
      }
      const set =
        organizationId === undefined
          ? http.PUT('/v1/admin/storage-limits/{limit}', { params: { path: { limit: known } }, body })
          : http.PUT('/v1/admin/organizations/{organizationId}/storage-limits/{limit}', {
              ...{ params: { path: { organizationId, limit: known } }, body },
            });
      show(output, await answer(set));
    },
  }),
];

function numberOf(text: string): number {
  if (/^[0-9]{1,15}$/.test(text)) return Number(text);
  throw new CliError('usage', `The limit must be a whole number, or default; it is "${text}".`);
}
