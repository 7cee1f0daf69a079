import type { Route } from '../../src/http/route.ts';

/** Returns the route of a request. Static segments take precedence over parameters. */
export function findRoute(routes: readonly Route[], method: string, path: string): Route | undefined {
  const [plain = ''] = path.split('?');
  const [first] = routes
    .filter((route) => route.method === (method === 'HEAD' ? 'get' : method.toLowerCase()))
    .filter((route) =>
      new RegExp(`^${route.path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(plain),
    )
    .toSorted((a, b) => (a.path.replaceAll(/\{\w+\}/g, '~') < b.path.replaceAll(/\{\w+\}/g, '~') ? -1 : 1));
  return first;
}
