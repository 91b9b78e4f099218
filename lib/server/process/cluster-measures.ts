import { collectDefaultMetrics, Registry } from "prom-client";
import type { Measures, ToMember, ToPrimary } from "./cluster-messages";

/** How long a scrape waits for the metrics of a member. */
const MEASURE_MS = 1_000;

/** The metrics of all processes of a server, for the member that is scraped. */
export class ClusterMeasures {
  /** Requests that have no answer yet, by ID. */
  readonly #asked = new Map<number, (measures: Measures) => void>();
  readonly #registry = new Registry();
  #lastId = 0;

  constructor() {
    this.#registry.setDefaultLabels({ process: "engines" });
    collectDefaultMetrics({ register: this.#registry });
  }

  /**
   * The metrics of the members that answer in time, and of this process, which runs the engines. `members`: for each
   * member, the function that sends it a message.
   */
  async collect(members: readonly ((message: ToMember) => void)[]): Promise<Measures[]> {
    const all = await Promise.all([
      ...members.map((send) => this.#ask(send)),
      this.#registry.getMetricsAsJSON(),
    ]);
    return all.filter((measures) => measures.length > 0);
  }

  /** Takes the answer of a member. */
  receive({ id, measures }: Extract<ToPrimary, { kind: "measured" }>): void {
    this.#asked.get(id)?.(measures);
  }

  #ask(send: (message: ToMember) => void): Promise<Measures> {
    return new Promise((resolve) => {
      this.#lastId += 1;
      const id = this.#lastId;
      const answer = (measures: Measures): void => {
        clearTimeout(timer);
        this.#asked.delete(id);
        resolve(measures);
      };
      const timer = setTimeout(() => answer([]), MEASURE_MS);
      this.#asked.set(id, answer);
      send({ kind: "measure", id });
    });
  }
}
