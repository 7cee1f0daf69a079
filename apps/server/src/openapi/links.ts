import type { Route } from '../http/route.ts';
import { isJson, type Json } from './portable.ts';

/** A read operation whose path has one parameter. */
export interface LinkTarget {
  readonly route: Route;
  readonly parameter: string;
  readonly collection: string;
}

/** Returns the operations that links can refer to. */
export function linkTargetsOf(routes: readonly Route[]): LinkTarget[] {
  return routes.flatMap((route) => {
    const [parameter, ...others] = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
    if (route.method !== 'get' || parameter === undefined || others.length > 0) return [];
    return [{ route, parameter, collection: collectionOf(route) }];
  });
}

/**
 * Returns the links from a response to the read operations whose only path parameter the response contains.
 * Links stay in the same collection, except that any response with an action id links to the action.
 */
export function linksOf(route: Route, answer: Json, targets: readonly LinkTarget[]): Json {
  const members = needed(answer);
  const own = collectionOf(route);
  const links = targets.flatMap(({ route: target, parameter, collection }) => {
    if (target === route || (parameter !== 'actionId' && collection !== own)) return [];
    // Skips the deprecated form of the read.
    if (target.deprecated === true && route.deprecated !== true) return [];
    const member = members.find((name) => name.toLowerCase() === parameter.toLowerCase());
    if (member === undefined) return [];
    const { operationId, summary: description } = target;
    const parameters = { [parameter]: `$response.body#/${member}` };
    return [[operationId, { operationId, description, parameters }] as const];
  });
  return Object.fromEntries(links);
}

function collectionOf({ path }: Route): string {
  return path.split('/').slice(0, 3).join('/');
}

/** Required string members of a response. */
function needed({ properties, required }: Json): string[] {
  if (!isJson(properties) || !Array.isArray(required)) return [];
  return required.filter((name: string) => {
    const part = properties[name];
    return isJson(part) && part.type === 'string';
  });
}
