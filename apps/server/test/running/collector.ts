import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { asyncListener } from '../../../../testing/async-listener.ts';

/** A span as a collector receives it. */
export interface CollectedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly links: readonly string[];
  /** Milliseconds. */
  readonly took: number;
  readonly isError: boolean;
}

/** An OpenTelemetry collector: accepts traces by OTLP over HTTP, in JSON. */
export interface Collector {
  readonly url: string;
  readonly spans: readonly CollectedSpan[];
  /** Returns all received requests as text, including their headers. */
  text(): string;
  /** Sets the status of further responses. */
  answer(status: number): void;
  close(): Promise<void>;
}

/** The part of an OTLP request that tests read. */
interface Request {
  resourceSpans: {
    scopeSpans: { spans: OtlpSpan[] }[];
  }[];
}
interface OtlpSpan extends Pick<CollectedSpan, 'name' | 'traceId' | 'spanId' | 'parentSpanId'> {
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes?: { key: string; value: Record<string, unknown> }[];
  links?: { spanId: string }[];
  status?: { code?: number };
}

export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  let text = '';
  let status = 200;
  const server = createServer(
    asyncListener(async (request, response) => {
      const body = await json(request);
      text += `${request.method} ${request.url} ${JSON.stringify(request.headers)} ${JSON.stringify(body)}\n`;
      if (status === 200) {
        // Unchecked cast: the exporter defines this form, and a missing member fails the test.
        for (const { scopeSpans } of (body as Request).resourceSpans)
          for (const scope of scopeSpans) spans.push(...scope.spans.map(collected));
      }
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
    }),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A listening TCP server has an address of this form.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    text: () => text,
    answer(value) {
      status = value;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function collected(span: OtlpSpan): CollectedSpan {
  const { name, traceId, spanId, parentSpanId, attributes = [], links = [], status } = span;
  return {
    ...{ name, traceId, spanId },
    ...(parentSpanId === undefined ? {} : { parentSpanId }),
    attributes: Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]])),
    links: links.map((link) => link.spanId),
    took: Number(BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano)) / 1e6,
    isError: status?.code === 2,
  };
}
