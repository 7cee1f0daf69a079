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
  /** Browser messages about responses that tests provoke, also late ones. */
  readonly asked: string[];
  /** All other browser errors: failed scripts, and violations of the page's policy. */
  readonly unasked: () => readonly string[];
  readonly url: (path: string) => string;
  readonly heading: (name: string | RegExp) => Locator;
  /** Waits until a dialog is closed: until then, elements behind it have no role. */
  readonly closed: () => Promise<void>;
}
