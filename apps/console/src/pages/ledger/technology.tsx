import { useQuery } from '@tanstack/react-query';
import { commonPropertiesQuery, technologiesQuery } from '../../api/queries.ts';
import { type PropertyMember, propertyMembersOf } from '../../lib/property-form.ts';

/** What the schemas say about a ledger's properties; undefined for a property that they do not name. */
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
