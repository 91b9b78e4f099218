import { useAmounts } from "./use-amounts";

/** An amount of dollars, with all its digits on hover where it is rounded. `usd`: dollars as a decimal string. */
export function Money({ usd }: { usd: string | number }) {
  const { money, exactMoney } = useAmounts();
  const [shown, exact] = [money(Number(usd)), exactMoney(Number(usd))];
  return (
    <span className="tabular" title={shown === exact ? undefined : exact}>
      {shown}
    </span>
  );
}
