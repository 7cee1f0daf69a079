import { useQuery } from '@tanstack/react-query';
import { technologiesQuery } from '../../api/queries.ts';

/** Sentences of a technology's schema on the properties of its ledgers; undefined: it has none. */
export function usePropertyTexts(technology: string | undefined): (property: string) => string | undefined {
  const technologies = useQuery(technologiesQuery());
  const schema = technologies.data?.find(({ name }) => name === technology)?.ledgerProperties;
  return (property) => {
    const description = memberOf(memberOf(memberOf(schema, 'properties'), property), 'description');
    // Values are marked as code there.
    return typeof description === 'string' ? description.replaceAll('`', '') : undefined;
  };
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return Reflect.get(value, name);
}

/** A technology as people call it, once its plugin has said so. */
export function TechnologyTitle({ name }: { name: string }) {
  const technologies = useQuery(technologiesQuery());
  return technologies.data?.find((one) => one.name === name)?.title ?? name;
}
