/** Pairs of sentences with the same meaning, written for these tests; sentences of different pairs are unrelated. */
export const PARAPHRASES: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  English: [
    ["The cat sat on the mat in the kitchen.", "A cat was sitting on a mat in our kitchen."],
    ["How do I reset my password?", "I forgot my password, how can it be reset?"],
    ["The train to London leaves at noon.", "At noon there is a train leaving for London."],
    [
      "Heavy rain flooded the streets of the old town.",
      "Streets in the old town were flooded by heavy rainfall.",
    ],
    [
      "The company raised its prices again this year.",
      "This year, prices were raised once more by the company.",
    ],
    ["She teaches physics at a small university.", "She is a physics teacher at a small university."],
  ],
  German: [
    ["Der Zug nach Berlin fährt um acht Uhr ab.", "Um acht Uhr fährt ein Zug nach Berlin."],
    ["Wie kann ich mein Passwort zurücksetzen?", "Ich möchte das Passwort zurücksetzen lassen."],
    ["Die Kinder spielen im Garten hinter dem Haus.", "Hinter dem Haus im Garten spielen Kinder."],
    [
      "Starker Regen überflutete die Straßen der Altstadt.",
      "Die Altstadtstraßen wurden von starkem Regen überflutet.",
    ],
    ["Die Firma hat ihre Preise erneut erhöht.", "Erneute Preiserhöhung: Die Firma erhöht ihre Preise."],
    ["Er kocht jeden Sonntag Suppe für die Nachbarn.", "Jeden Sonntag kocht er den Nachbarn eine Suppe."],
  ],
  French: [
    ["Le train pour Lyon part à midi.", "À midi, un train part pour Lyon."],
    ["Comment réinitialiser mon mot de passe ?", "Je voudrais réinitialiser le mot de passe."],
    [
      "Les enfants jouent dans le jardin derrière la maison.",
      "Derrière la maison, des enfants jouent au jardin.",
    ],
    ["De fortes pluies ont inondé la vieille ville.", "La vieille ville a été inondée par une forte pluie."],
    ["L'entreprise a encore augmenté ses prix.", "Nouvelle augmentation des prix de l'entreprise."],
    [
      "Elle enseigne la physique dans une petite université.",
      "Elle est enseignante de physique à l'université.",
    ],
  ],
  Spanish: [
    ["El tren a Sevilla sale al mediodía.", "Al mediodía sale un tren hacia Sevilla."],
    ["¿Cómo restablezco mi contraseña?", "Quiero restablecer la contraseña de mi cuenta."],
    [
      "Los niños juegan en el jardín detrás de la casa.",
      "Detrás de la casa, en el jardín, juegan unos niños.",
    ],
    ["Fuertes lluvias inundaron el casco antiguo.", "El casco antiguo quedó inundado por la fuerte lluvia."],
    ["La empresa subió otra vez los precios.", "Otra subida de precios de la empresa."],
    ["Cada domingo cocina sopa para los vecinos.", "Los domingos cocina una sopa a sus vecinos."],
  ],
  Chinese: [
    ["今天天气很好，我们去公园散步吧。", "天气这么好，今天去公园走走吧。"],
    ["怎样重置我的密码？", "我忘记密码了，如何重置？"],
    ["火车中午从上海出发。", "从上海出发的火车是中午开。"],
    ["大雨淹没了老城的街道。", "老城街道被大雨淹没。"],
    ["公司今年又涨价了。", "今年公司再次涨价。"],
    ["她在一所小大学教物理。", "她是小大学的物理老师。"],
  ],
};
