"use client";

import { useCallback, useState } from "react";
import { useTranslations } from "use-intl";
import type { SpeechPlayer } from "@/lib/client/speech-player";
import { toast } from "../ui/toast";
import type { Take } from "./history";
import { useHistory } from "./use-history";

/** The takes of the page: the history, the take in the player, and the takes marked for comparison. */
export function useTakes(userId: string, player: SpeechPlayer) {
  const t = useTranslations("speech.history");
  const { takes, isStored, save, remove, clear } = useHistory(userId);
  const [current, setCurrent] = useState<Take | null>(null);
  const { marked, mark, unmark, unmarkAll } = useMarks();

  const unload = useCallback(() => setCurrent(null), []);
  const add = useCallback(
    (take: Take) => {
      setCurrent(take);
      void save(take);
    },
    [save],
  );

  const emptyPlayer = () => {
    // An arriving take stays in the player.
    if (player.snapshot().phase === "arriving") return;
    player.clear();
    setCurrent(null);
  };

  return {
    takes,
    isStored,
    current,
    marked,
    add,
    /** Stores a take without loading it into the player. */
    keep: useCallback((take: Take) => void save(take), [save]),
    unload,
    /** Plays a take from its start; pauses or resumes it where it is in the player already. */
    play: (take: Take) => {
      if (take.id === current?.id) return player.toggle();
      setCurrent(take);
      player.load(take.samples);
      player.play();
    },
    /** Switches to the other take of a comparison at the same position. */
    swap: (take: Take) => {
      setCurrent(take);
      player.swap(take.samples);
    },
    mark,
    unmark: unmarkAll,
    remove: (take: Take) => {
      remove(take.id);
      unmark(take.id);
      if (take.id === current?.id) emptyPlayer();
      toast(t("deleted"), { action: { label: t("undo"), onClick: () => void save(take) } });
    },
    clear: () => {
      void clear();
      unmarkAll();
      emptyPlayer();
    },
  };
}

/** IDs of at most two takes to compare. */
function useMarks() {
  const [marked, setMarked] = useState<readonly string[]>([]);
  return {
    marked,
    /** Marks or unmarks a take; a third mark replaces the oldest one. */
    mark: ({ id }: Take) =>
      setMarked((now) => (now.includes(id) ? now.filter((one) => one !== id) : [...now.slice(-1), id])),
    unmark: (id: string) => setMarked((now) => now.filter((one) => one !== id)),
    unmarkAll: () => setMarked([]),
  };
}
