import type { Locator, Page } from 'playwright-core';
import type { ConsoleStage } from '../../console-stage.ts';

/** One person with one page; each part of the scenario continues where the previous one ended. */
export interface EveryPage {
  readonly stage: ConsoleStage;
  readonly page: Page;
  /** Address of the wallet `till`. */
  readonly till: string;
  /** Bytes loaded by the console so far. */
  readonly firstLoad: () => number;
  /** Parts of the browser's messages about error responses that tests provoke. Messages may also arrive later. */
  readonly expectedErrors: string[];
  /** All other browser errors: failed scripts, and violations of the content security policy. */
  readonly unexpectedErrors: () => readonly string[];
  readonly url: (path: string) => string;
  readonly heading: (name: string | RegExp) => Locator;
  /** Waits until a dialog is closed. While it is open, elements behind it cannot be found by their roles. */
  readonly closed: () => Promise<void>;
}
