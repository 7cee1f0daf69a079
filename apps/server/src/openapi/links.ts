import type { Route } from '../http/route.ts';
import { isJson, type Json } from './portable.ts';

/**
 * Links from an answer to the operations that take its ids: reads whose one path parameter the answer names, in the same
 * collection; of an action wherever it was made.
 */
export function linksOf(route: Route, answer: Json, routes: readonly Route[]): Json {
  const members = needed(answer);
  const targets = routes.flatMap((target) => {
    const [parameter, ...others] = [...target.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
    if (target === route || target.method !== 'get' || parameter === undefined || others.length > 0)
      return [];
    if (parameter !== 'actionId' && collectionOf(target) !== collectionOf(route)) return [];
    // An older form of the same question.
    if (target.deprecated === true && route.deprecated !== true) return [];
    const member = members.find((name) => name.toLowerCase() === parameter.toLowerCase());
    if (member === undefined) return [];
    const { operationId, summary: description } = target;
    const parameters = { [parameter]: `$response.body#/${member}` };
    return [[operationId, { operationId, description, parameters }] as const];
  });
  return Object.fromEntries(targets);
}

function collectionOf({ path }: Route): string {
  return path.split('/').slice(0, 3).join('/');
}

/** Members of an answer that are always texts. */
function needed({ properties, required }: Json): string[] {
  if (!isJson(properties) || !Array.isArray(required)) return [];
  return required.filter((name: string) => {
    const part = properties[name];
    return isJson(part) && part.type === 'string';
  });
}
