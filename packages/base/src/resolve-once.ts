// To be imported before everything else. Node 24 parses a package's whole `exports` again for each of its modules, and
// for each import of its name: with those of drizzle-orm that was more than half of a server's start. Here the answers
// are kept. Of a relative name it asks the disk three times: here once for each folder.
import { type ResolveFnOutput, registerHooks } from 'node:module';

/** Formats of the `.js` files of a folder, and of its `.ts` files: of dependencies, and of packages of ours. */
const formats = new Map<string, ResolveFnOutput['format']>();
/** The repository; where this is installed, a folder inside of `node_modules`. */
const around = new URL('../../../', import.meta.url).href;
/** Names as they are resolved within a package, by its folder and the name. */
const found = new Map<string, ResolveFnOutput>();

registerHooks({
  resolve(specifier, context, next) {
    const { parentURL, conditions } = context;
    if (parentURL === undefined || !conditions.includes('import')) return next(specifier, context);
    const isKnownPlace = parentURL.includes('/node_modules/') || parentURL.startsWith(around);
    if (isKnownPlace && /^\.\.?\/.*\.[jt]s$/.test(specifier)) {
      const { href: url } = new URL(specifier, parentURL);
      const kind = url.slice(0, url.lastIndexOf('/') + 1) + url.slice(-3);
      const format = formats.get(kind);
      if (format !== undefined) return { url, format, shortCircuit: true };
      const resolved = next(specifier, context);
      formats.set(kind, resolved.format);
      return resolved;
    }
    const folder = /^file:.*\/(?:node_modules|packages|apps)\/(?:@[^/]+\/)?[^/]+\//.exec(parentURL)?.[0];
    if (folder === undefined || !/^[@a-z]/.test(specifier) || specifier.includes(':'))
      return next(specifier, context);
    const key = `${folder} ${specifier}`;
    const known = found.get(key);
    if (known !== undefined) return known;
    const { url, format } = next(specifier, context);
    found.set(key, { url, format, shortCircuit: true });
    return { url, format };
  },
});
