/** Runs a task repeatedly while there is more to do, one run at a time. */
export interface Runner {
  /** Requests a run. A call during a run causes one more run. */
  wake(): void;
  /** Prevents new runs. Resolves when the current run has completed. */
  stop(): Promise<void>;
}

export interface RunnerOptions {
  /** Returns true if there is more to do immediately. */
  run: () => Promise<boolean>;
  failed: (error: unknown) => void;
  /** Delay before a retry after a failure, in milliseconds. */
  retryAfter: number;
}

export function createRunner({ run, failed, retryAfter }: RunnerOptions): Runner {
  let state: 'idle' | 'running' | 'woken' | 'stopped' = 'idle';
  let running: Promise<void> = Promise.resolve();
  let retry: NodeJS.Timeout | undefined;

  function wake(): void {
    if (state === 'running') state = 'woken';
    if (state !== 'idle') return;
    state = 'running';
    running = work();
  }

  async function work(): Promise<void> {
    let isMore = false;
    try {
      isMore = await run();
    } catch (error) {
      failed(error);
      if (state !== 'stopped') retry = setTimeout(wake, retryAfter);
    }
    if (state === 'stopped') return;
    const isAgain = isMore || state === 'woken';
    state = 'idle';
    if (isAgain) wake();
  }

  return {
    wake,
    async stop() {
      state = 'stopped';
      clearTimeout(retry);
      await running;
    },
  };
}
