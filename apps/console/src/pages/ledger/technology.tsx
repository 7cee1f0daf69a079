import { useQuery } from '@tanstack/react-query';
import { selectionQuery } from '../../api/installation.ts';
import { commonPropertiesQuery, technologiesQuery } from '../../api/queries.ts';
import type { Schemas } from '../../api/types.ts';
import { type PropertyMember, propertyMembersOf } from '../../lib/property-form.ts';

/** The schema of a ledger's property; undefined for a property that no schema defines. */
export function usePropertyMembers(
  technology: string | undefined,
): (property: string) => PropertyMember | undefined {
  const technologies = useQuery(technologiesQuery()).data;
  const common = useQuery(commonPropertiesQuery()).data ?? null;
  const schema = technologies?.find(({ name }) => name === technology)?.ledgerProperties ?? null;
  const members = [...propertyMembersOf(schema), ...propertyMembersOf(common)];
  return (property) => members.find(({ name }) => name === property);
}

/** The technology's title, or its name until its plugin has described it. */
export function TechnologyTitle({ name }: { name: string }) {
  const technologies = useQuery(technologiesQuery());
  return technologies.data?.find((one) => one.name === name)?.title ?? name;
}

const isRemotePlugin = ({ keyType }: { keyType: string }) => keyType === 'remote';

/** Whether all plugins of a technology are remote. They connect to the nodes of their ledgers themselves. */
export function hasOnlyRemotePlugins({ plugins }: Schemas['LedgerTechnologyDescription']): boolean {
  return plugins.length > 0 && plugins.every(isRemotePlugin);
}

/** Whether the plugin that serves a ledger is remote; undefined until that is known. */
export function useRemotePlugin({ ledgerId, technology }: Schemas['AdminLedger']): boolean | undefined {
  const technologies = useQuery(technologiesQuery());
  const selection = useQuery(selectionQuery(ledgerId));
  if (technologies.isPending || selection.isPending) return undefined;
  const described = technologies.data?.find(({ name }) => name === technology);
  if (described === undefined) return false;
  const served = described.plugins.find(({ id }) => id === selection.data?.chosen?.id);
  return served === undefined ? hasOnlyRemotePlugins(described) : isRemotePlugin(served);
}
