/** The most frequent function words, accents folded: they say little about a text's subject. */
const BY_LANGUAGE = {
  en: "a about all also am an and any are as at be been but by can could did do does for from had has have he her him his how i if in into is it its just me my no not of on or our she so some than that the their them then there these they this to too up us was we were what when where which who why will with would you your",
  es: "al algo como con cual cuando de del desde donde e el ella ellos en era es esa ese esta estan este esto ha han hay la las le les lo los mas me mi muy no nos o para pero por porque que quien se ser si sin sobre son su sus tambien te tiene todo tu un una uno y ya yo",
  fr: "a ai au aux avec ce ces cette comme d dans de des du elle elles en est et etait eu il ils j je l la le les leur lui ma mais me meme mes moi mon n ne nos notre nous on ont ou par pas plus pour qu quand que qui s sa sans se ses son sont sur ta te tes ton tout tres tu un une vos votre vous y",
  de: "aber alle als am an auch auf aus bei bin bis das dass dem den der des die dies diese dieser doch du durch ein eine einem einen einer eines er es fur hat habe haben ich ihr ihre im in ist ja kann man mehr mein mich mir mit nach nicht noch nun nur ob oder ohne schon sehr sein seine sich sie sind so uber um und uns unter vom von vor war waren was wenn wer werden wie wir wird wo zu zum zur",
  it: "a ai al alla alle anche c che chi ci come con da dal dalla de degli dei del della delle di e ed era gli ha hanno ho i il in io l la le lei lo loro lui ma mi mia mio molto ne nel nella noi non o per perche piu qual quando quella questa questo se si sono su sua suo ti tra tu tutti un una uno vi",
  pt: "a ao aos as ate com como da das de dela dele do dos e ela ele eles em entre era essa esse esta este eu foi ha isso isto ja la lhe mais mas me meu minha muito na nao nas nem no nos o os ou para pela pelo por porque qual quando que quem se sem ser seu sua sao so tambem te tem um uma voce",
  nl: "aan al als bij dan dat de der deze die dit doch door dus een en er ge geen haar had heb hebben heeft hem het hier hij hoe hun ik in is ja je kan maar me meer men met mij mijn na naar niet nog nu of om omdat ons ook op over te tot uit u van veel voor want was wat we wel werd wie wij wil worden zal ze zei zich zij zijn zo zou",
  pl: "a ale bo byc byl byla co czy dla do go i ich ja jak jako je jego jej jest juz ktora ktore ktory ma mi mnie moze na nad nie o od on ona oni po pod przez przy sa sie tak tam te tego tej ten to tu ty w we wszystko z za ze",
  ru: "а бы был была было в вам вас во вот все всё вы да для до его ее если есть еще же за и из или им их к как ко когда кто ли мне мы на над нас не него нее нет ни но ну о об он она они от по под при с со так там то тоже только ты у уже что чтобы эта эти это этот я",
  tr: "ama bana ben bir biz bu cok da daha de en gibi hem her icin ile ise ki mi mu ne nasil o olan olarak sen siz su ve veya ya",
} as const;

export const STOP_WORDS: ReadonlySet<string> = new Set(
  Object.values(BY_LANGUAGE).flatMap((words) => words.split(" ")),
);
