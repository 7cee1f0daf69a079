import { createServer } from 'node:http';
import { openChromium } from '../../../../../testing/chromium.ts';
import { bundled } from './bundled.ts';

/** A page in Chromium with a bundled module. */
export interface ModulePage {
  readonly origin: string;
  /** Calls `cases[name](argument)` in the page. @throws Error that the call throws */
  run(name: string, argument: unknown): Promise<void>;
  close(): Promise<void>;
}

/** @param module exports `cases` */
export async function openModulePage(module: URL): Promise<ModulePage> {
  const code = await bundled(module);
  const server = createServer((request, response) => {
    const isScript = request.url === '/suite.js';
    response.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html');
    response.end(isScript ? code : '<!doctype html><title>suite</title><script src="/suite.js"></script>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const origin = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  let browser: Awaited<ReturnType<typeof openChromium>> | undefined;
  const close = async () => {
    await browser?.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  try {
    browser = await openChromium();
    const page = await browser.newPage();
    await page.goto(origin);
    return {
      origin,
      run: async (name, argument) =>
        await page.evaluate(`suite.cases[${JSON.stringify(name)}](${JSON.stringify(argument)})`),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
