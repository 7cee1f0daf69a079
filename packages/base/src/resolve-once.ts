// To be imported before everything else. Node 24 parses a package's whole `exports` again for each of its modules, and
// for each import of its name: with those of drizzle-orm that was more than half of a server's start. Here the answers
// are kept.
import { type ResolveFnOutput, registerHooks } from 'node:module';

/** Formats of the `.js` files of a folder of a dependency. */
const formats = new Map<string, ResolveFnOutput['format']>();
/** Names as they are resolved within a package, by its folder and the name. */
const found = new Map<string, ResolveFnOutput>();

registerHooks({
  resolve(specifier, context, next) {
    const { parentURL, conditions } = context;
    if (parentURL === undefined || !conditions.includes('import')) return next(specifier, context);
    if (/^\.\.?\/.*\.js$/.test(specifier) && parentURL.includes('/node_modules/')) {
      const { href: url } = new URL(specifier, parentURL);
      const inFolder = url.slice(0, url.lastIndexOf('/'));
      const format = formats.get(inFolder);
      if (format !== undefined) return { url, format, shortCircuit: true };
      const resolved = next(specifier, context);
      formats.set(inFolder, resolved.format);
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
